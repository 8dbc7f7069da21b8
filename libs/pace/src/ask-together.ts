interface Asked<Q, A> {
  readonly question: Q;
  readonly resolve: (answer: A) => void;
  readonly reject: (error: unknown) => void;
}

/** How many questions go together at most, and when those that came meanwhile are asked beside an asking that is under way. */
export interface AskTogetherLimits {
  readonly mostTogether?: number;
  /** How long one may be under way before another begins, in milliseconds; without it they only follow each other. */
  readonly patienceMs?: number;
}

/**
 * Asks for many at once: what is asked in one turn of the event loop, or while an asking is under way, goes together. So a lone question does
 * not wait, and under load a statement, a connection and a round trip serve many. One that hangs does not hold up the rest for longer than the
 * patience.
 */
export class AskTogether<Q, A> {
  private readonly waiting: Asked<Q, A>[] = [];
  private readonly mostTogether: number;
  private readonly patienceMs: number;
  private underWay = 0;
  private isGathering = false;
  private beganAt = 0;
  private impatience: NodeJS.Timeout | null = null;

  /** @param askAll gives an answer, or a promise of one, for each question, in their order */
  constructor(
    private readonly askAll: (questions: readonly Q[]) => Promise<readonly A[]>,
    { mostTogether = 100, patienceMs = Number.POSITIVE_INFINITY }: AskTogetherLimits = {},
  ) {
    this.mostTogether = mostTogether;
    this.patienceMs = patienceMs;
  }

  /** Whether nothing is asked and nothing waits. */
  get isIdle(): boolean {
    return this.underWay === 0 && this.waiting.length === 0;
  }

  ask(question: Q): Promise<A> {
    return new Promise((resolve, reject) => {
      this.waiting.push({ question, resolve, reject });
      if (this.underWay === 0) this.gather();
      else this.bePatient();
    });
  }

  private gather(): void {
    if (this.isGathering) return;
    this.isGathering = true;
    setImmediate(() => {
      this.isGathering = false;
      void this.askWaiting();
    });
  }

  /** Begins another asking as soon as the last one to begin has been under way for too long, if somebody waits then. */
  private bePatient(): void {
    if (this.impatience !== null || this.patienceMs === Number.POSITIVE_INFINITY) return;
    const leftMs = this.beganAt + this.patienceMs - performance.now();
    if (leftMs <= 0) return this.gather();
    this.impatience = setTimeout(() => {
      this.impatience = null;
      if (this.waiting.length > 0) this.bePatient();
    }, leftMs);
  }

  private async askWaiting(): Promise<void> {
    this.underWay += 1;
    while (this.waiting.length > 0) {
      this.beganAt = performance.now();
      await this.askSome(this.waiting.splice(0, this.mostTogether));
    }
    this.underWay -= 1;
  }

  private async askSome(asked: readonly Asked<Q, A>[]): Promise<void> {
    try {
      const answers = await this.askAll(asked.map(({ question }) => question));
      if (answers.length !== asked.length) throw new Error(`${answers.length} answers to ${asked.length} questions`);
      asked.forEach(({ resolve }, index) => resolve(answers[index] as A));
    } catch (error) {
      for (const { reject } of asked) reject(error);
    }
  }
}
