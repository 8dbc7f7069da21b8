import { setTimeout as sleep } from 'node:timers/promises';

/** What a loop repeats; times in milliseconds. */
export interface LoopOptions {
  readonly everyMs: number;
  /** Before the first step (0). */
  readonly firstAfterMs?: number;
  /** The signal says that the loop is to stop: a long step then ends early. */
  readonly step: (signal: AbortSignal) => Promise<void>;
  /** @param failures how many steps failed in a row, from 1 */
  readonly onError: (error: unknown, failures: number) => void;
}

const longestBackOffMs = 5_000;

/** Repeats a step until it is stopped. A step that fails is reported and tried again after a pause that doubles, within a bound. */
export class Loop {
  readonly #stopping = new AbortController();
  #running: Promise<void> | undefined;

  constructor(private readonly options: LoopOptions) {}

  start(): void {
    this.#running ??= this.#run();
  }

  /** Ends the pause and waits for the step under way. */
  async stop(): Promise<void> {
    this.#stopping.abort();
    await this.#running;
  }

  async #run(): Promise<void> {
    const { signal } = this.#stopping;
    const { everyMs, firstAfterMs = 0, step, onError } = this.options;
    await this.#pause(firstAfterMs);
    for (let failures = 0; !signal.aborted;) {
      try {
        await step(signal);
        failures = 0;
      } catch (error) {
        failures += 1;
        onError(error, failures);
      }
      await this.#pause(pauseMs(everyMs, failures));
    }
  }

  async #pause(ms: number): Promise<void> {
    if (ms > 0) await sleep(ms, undefined, { signal: this.#stopping.signal }).catch(() => undefined);
  }
}

function pauseMs(everyMs: number, failures: number): number {
  return Math.max(everyMs, Math.min(longestBackOffMs, everyMs * 2 ** Math.min(failures, 10)));
}
