/** Goes round the endpoints in as many claims as it takes, and on from where the slots ran out. */
export class Round {
  #resumeAfter: string | null = null;
  /** Where this round began; `null` for the first endpoint. */
  #beganAfter: string | null = null;

  get resumeAfter(): string | null {
    return this.#resumeAfter;
  }

  /** Takes note of a claim, and says whether the round is over: all endpoints were looked at, or no slot is free. */
  next(resumeAfter: string | null, isFull: boolean): boolean {
    this.#resumeAfter = resumeAfter;
    const isOver = isFull || (resumeAfter === null && this.#beganAfter === null);
    if (isOver || resumeAfter === null) this.#beganAfter = isOver ? resumeAfter : null;
    return isOver;
  }
}
