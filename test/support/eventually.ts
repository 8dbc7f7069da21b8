import { setTimeout as pause } from 'node:timers/promises';

export interface EventuallyOptions {
  readonly withinMs?: number;
  readonly everyMs?: number;
  /** What is waited for, for the error. */
  readonly describe?: string;
}

/**
 * Repeats a check until it gives a truthy value without throwing, and resolves with that value.
 *
 * @throws the last error of the check, or one that says what was waited for, when the time is up
 */
export async function eventually<T>(check: () => T | Promise<T>, options: EventuallyOptions = {}): Promise<T> {
  const { withinMs = 5_000, everyMs = 20, describe = 'condition' } = options;
  const deadline = performance.now() + withinMs;
  for (;;) {
    let failure: unknown = new Error(`not within ${withinMs} ms: ${describe}`);
    try {
      const value = await check();
      if (value) return value;
    } catch (error) {
      failure = error;
    }
    if (performance.now() > deadline) throw failure;
    await pause(everyMs);
  }
}
