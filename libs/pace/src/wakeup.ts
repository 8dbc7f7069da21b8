/** A bell for one sleeper: a signal given while nobody sleeps ends the next sleep at once. */
export class Wakeup {
  #rung = false;
  #wake: (() => void) | undefined;

  /** Ends the sleep, or the next one. */
  signal(): void {
    this.#rung = true;
    this.#wake?.();
  }

  /** Sleeps until a signal, at most `ms`. */
  async sleep(ms: number): Promise<void> {
    if (!this.#rung) await this.#wait(ms);
    this.#rung = false;
    this.#wake = undefined;
  }

  #wait(ms: number): Promise<void> {
    return new Promise((resolve) => {
      const timer = setTimeout(resolve, ms);
      this.#wake = () => {
        clearTimeout(timer);
        resolve();
      };
    });
  }
}
