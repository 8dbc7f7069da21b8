/** A number of places that are given out in the order in which they were asked for. */
export class Slots {
  private readonly waiting: Array<(taken: boolean) => void> = [];
  private free: number;

  constructor(size: number) {
    this.free = size;
  }

  /** Waits for a place. False: the signal came first, or the slots were closed; then nothing is to be given back. */
  async take(signal: AbortSignal | undefined): Promise<boolean> {
    if (signal?.aborted === true) return false;
    if (this.free > 0) {
      this.free -= 1;
      return true;
    }
    return this.wait(signal);
  }

  giveBack(): void {
    const next = this.waiting.shift();
    if (next === undefined) this.free += 1;
    else next(true);
  }

  /** Sends away all who wait. */
  clear(): void {
    for (const settle of this.waiting.splice(0)) settle(false);
  }

  private wait(signal: AbortSignal | undefined): Promise<boolean> {
    return new Promise((resolve) => {
      const settle = (taken: boolean): void => {
        signal?.removeEventListener('abort', onAbort);
        resolve(taken);
      };
      const onAbort = (): void => {
        this.waiting.splice(this.waiting.indexOf(settle), 1);
        settle(false);
      };
      signal?.addEventListener('abort', onAbort, { once: true });
      this.waiting.push(settle);
    });
  }
}
