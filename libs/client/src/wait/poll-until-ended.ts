import type { CallOptions } from '../client-options.js';
import { DeadlineExceededError } from '../errors/deadline-exceeded-error.js';
import { RequestAbortedError } from '../errors/request-aborted-error.js';
import type { Clock } from '../request/clock.js';
import { pollPauseMs } from './poll-pause-ms.js';

/** How long to wait. */
export interface WaitOptions {
  /** Milliseconds; 10 minutes when left out. */
  readonly deadlineMs?: number | undefined;
  /** Ends the waiting. */
  readonly signal?: AbortSignal | undefined;
}

/** What is waited for. */
export interface Awaited<T> {
  readonly path: string;
  readonly read: (options: CallOptions) => Promise<T>;
  readonly hasEnded: (value: T) => boolean;
}

const usualDeadlineMs = 600_000;

/**
 * Looks at something until it has ended. An outage of the service does not end the waiting, only the deadline and the signal do.
 *
 * @throws DeadlineExceededError, RequestAbortedError, RequestRefusedError
 */
export async function pollUntilEnded<T>(awaited: Awaited<T>, options: WaitOptions, clock: Clock): Promise<T> {
  const { deadlineMs = usualDeadlineMs, signal } = options;
  const startedAt = clock.elapsed();
  const remainingMs = () => deadlineMs - (clock.elapsed() - startedAt);
  for (let look = 1; ; look += 1) {
    const value = await awaited.read({ signal, deadlineMs: Math.max(1, remainingMs()), retries: Infinity });
    if (awaited.hasEnded(value)) return value;
    const facts = { method: 'GET', path: awaited.path, idempotencyKey: null, attempts: look };
    const pauseMs = pollPauseMs(look, clock.random());
    if (pauseMs >= remainingMs()) throw new DeadlineExceededError(facts, deadlineMs);
    try {
      await clock.pause(pauseMs, signal);
    } catch (cause) {
      throw new RequestAbortedError(facts, signal?.reason ?? cause);
    }
  }
}
