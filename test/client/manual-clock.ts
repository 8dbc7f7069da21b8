import type { Clock } from '../../libs/client/src/request/clock.js';

/** A clock on which time passes in pauses only. */
export interface ManualClock extends Clock {
  /** How long each pause was. */
  readonly pauses: readonly number[];
}

/** @param random what the clock gives as random number each time */
export function manualClock(random = 0.5): ManualClock {
  const pauses: number[] = [];
  let elapsedMs = 0;
  return {
    pauses,
    now: () => elapsedMs,
    elapsed: () => elapsedMs,
    random: () => random,
    pause: async (ms, signal) => {
      signal?.throwIfAborted();
      pauses.push(ms);
      elapsedMs += ms;
    },
  };
}
