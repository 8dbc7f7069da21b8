interface Asked<Q, A> {
  readonly question: Q;
  readonly resolve: (answer: A) => void;
  readonly reject: (error: unknown) => void;
}

/**
 * Asks for many in one statement: what is asked while one is under way goes into the next one. So a lone question is asked at once, and under
 * load a statement, a connection and a round trip serve many.
 */
export class AskTogether<Q, A> {
  private waiting: Asked<Q, A>[] = [];
  private isAsking = false;

  /** @param askAll gives an answer for each question, in their order */
  constructor(
    private readonly askAll: (questions: readonly Q[]) => Promise<readonly A[]>,
    private readonly mostAtOnce = 100,
  ) {}

  /** Whether nothing is asked and nothing waits. */
  get isIdle(): boolean {
    return !this.isAsking;
  }

  ask(question: Q): Promise<A> {
    return new Promise((resolve, reject) => {
      this.waiting.push({ question, resolve, reject });
      if (!this.isAsking) void this.askWaiting();
    });
  }

  private async askWaiting(): Promise<void> {
    this.isAsking = true;
    while (this.waiting.length > 0) await this.askSome(this.waiting.splice(0, this.mostAtOnce));
    this.isAsking = false;
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
