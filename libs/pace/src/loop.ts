import { type BackOff, backOffMs } from './back-off.js';
import { pause } from './pause.js';
import { Wakeup } from './wakeup.js';

/** What a loop repeats; times in milliseconds. */
export interface LoopOptions {
  /** From the end of one step to the next, unless woken. */
  readonly everyMs: number;
  /** Before the first step (0). */
  readonly firstAfterMs?: number;
  /** After steps that failed (from `everyMs`, at most 5 000, to 5 000). */
  readonly backOff?: BackOff;
  /** The signal says that the loop is to stop: a long step then ends early. After `again` the next step follows at once. */
  readonly step: (signal: AbortSignal) => Promise<'again' | void>;
  /** @param failures how many steps failed in a row, from 1 */
  readonly onError: (error: unknown, failures: number) => void;
}

const longestBackOffMs = 5_000;

/** Repeats a step until it is stopped. A step that fails is reported and tried again after a back-off, which nothing but `stop` cuts short. */
export class Loop {
  readonly #stopping = new AbortController();
  readonly #wakeup = new Wakeup();
  readonly #backOff: BackOff;
  #running: Promise<void> | undefined;

  constructor(private readonly options: LoopOptions) {
    const { everyMs } = options;
    this.#backOff = options.backOff ?? { firstMs: Math.min(everyMs, longestBackOffMs), maxMs: longestBackOffMs };
  }

  /** Starts in the background; once. */
  start(): void {
    this.#running ??= this.#run();
  }

  /** Says that there may be something to do: the next step does not wait for its time. */
  wake(): void {
    this.#wakeup.signal();
  }

  /** Ends the pause and waits for the step under way. */
  async stop(): Promise<void> {
    this.#stopping.abort();
    this.#wakeup.signal();
    await this.#running;
  }

  async #run(): Promise<void> {
    const { signal } = this.#stopping;
    const { everyMs, firstAfterMs = 0, step, onError } = this.options;
    if (firstAfterMs > 0) await pause(firstAfterMs, signal);
    for (let failures = 0; !signal.aborted;) {
      try {
        const next = await step(signal);
        failures = 0;
        if (next !== 'again') await this.#wakeup.sleep(everyMs);
      } catch (error) {
        failures += 1;
        onError(error, failures);
        await pause(backOffMs(failures, this.#backOff, Math.random()), signal);
      }
    }
  }
}
