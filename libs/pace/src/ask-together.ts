interface Asked<Q, A> {
  readonly question: Q;
  readonly resolve: (answer: A) => void;
  readonly reject: (error: unknown) => void;
}

/** How many questions go together at most, and for how long those that come meanwhile wait for an asking that is under way. */
export interface AskTogetherLimits {
  readonly mostTogether?: number;
  /** In milliseconds; without it as long as it takes. */
  readonly patienceMs?: number;
}

/**
 * Asks for many at once: what is asked in one turn of the event loop, or while an asking is under way, goes together. So a lone question does
 * not wait, and under load a statement, a connection and a round trip serve many. One that is under way for longer than the patience holds up
 * nobody any more.
 */
export class AskTogether<Q, A> {
  private readonly waiting: Asked<Q, A>[] = [];
  private readonly mostTogether: number;
  private readonly patienceMs: number;
  private underWay = 0;
  /** How many of them those that come wait for. */
  private holdingUp = 0;
  private isGathering = false;

  /** @param askAll gives an answer, or a promise of one, for each question, in their order */
  constructor(
    private readonly askAll: (questions: readonly Q[]) => Promise<readonly A[]>,
    { mostTogether = 100, patienceMs = Number.POSITIVE_INFINITY }: AskTogetherLimits = {},
  ) {
    this.mostTogether = mostTogether;
    this.patienceMs = patienceMs;
  }

  /** Whether nothing is asked and nothing waits; an answer that is a promise is given. */
  get isIdle(): boolean {
    return this.underWay === 0 && this.waiting.length === 0;
  }

  ask(question: Q): Promise<A> {
    return new Promise((resolve, reject) => {
      this.waiting.push({ question, resolve, reject });
      if (this.holdingUp === 0) this.gather();
    });
  }

  private gather(): void {
    if (this.isGathering) return;
    this.isGathering = true;
    setImmediate(() => {
      this.isGathering = false;
      this.askWaiting();
    });
  }

  private askWaiting(): void {
    if (this.waiting.length > 0 && this.holdingUp === 0) void this.askSome(this.waiting.splice(0, this.mostTogether));
  }

  private async askSome(asked: readonly Asked<Q, A>[]): Promise<void> {
    this.underWay += 1;
    const letGo = this.holdUp();
    try {
      const answers = await this.askAll(asked.map(({ question }) => question));
      if (answers.length !== asked.length) throw new Error(`${answers.length} answers to ${asked.length} questions`);
      asked.forEach(({ resolve }, index) => resolve(answers[index] as A));
    } catch (error) {
      for (const { reject } of asked) reject(error);
    }
    this.underWay -= 1;
    letGo();
  }

  /** Makes those that come wait, until they are let go or their patience is over. */
  private holdUp(): () => void {
    this.holdingUp += 1;
    let isHolding = true;
    const letGo = (): void => {
      clearTimeout(impatience);
      if (!isHolding) return;
      isHolding = false;
      this.holdingUp -= 1;
      this.askWaiting();
    };
    const impatience = this.patienceMs === Number.POSITIVE_INFINITY ? undefined : setTimeout(letGo, this.patienceMs);
    return letGo;
  }
}
