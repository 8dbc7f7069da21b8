import { setTimeout as pause } from 'node:timers/promises';

/** Time and randomness, as the client has them. */
export interface Clock {
  /** Milliseconds since 1970. */
  now(): number;
  /** Milliseconds that only grow. */
  elapsed(): number;
  /** From 0, below 1. */
  random(): number;
  /** @throws when the signal is aborted before the time is over */
  pause(ms: number, signal: AbortSignal | undefined): Promise<void>;
}

/** The clock of this machine. */
export const systemClock: Clock = {
  now: () => Date.now(),
  elapsed: () => performance.now(),
  random: () => Math.random(),
  pause: (ms, signal) => pause(ms, undefined, signal === undefined ? {} : { signal }),
};
