const second = 1_000;
const minute = 60 * second;
const hour = 60 * minute;

/** The delays before each attempt of a delivery, in milliseconds (Standard Webhooks 1.0.0, retry schedule): 10 attempts with 75 h 35 min of waits. */
export const retryScheduleMs: readonly number[] = [
  0,
  5 * second,
  5 * minute,
  30 * minute,
  2 * hour,
  5 * hour,
  10 * hour,
  14 * hour,
  20 * hour,
  24 * hour,
];

/** The longest that a receiver can ask to wait, in milliseconds. */
export const longestRetryAfterMs = 24 * hour;

const jitterShare = 0.1;
const leastJitterMs = 2 * second;

/** What decides when a delivery is attempted again. */
export interface RetryRequest {
  /** How many attempts of the schedule were made. */
  readonly attempts: number;
  /** What the receiver asked for, if it did. */
  readonly retryAfterMs: number | null;
  /** The endpoint's own delays after the first attempt, in seconds; `null` for {@link retryScheduleMs}. */
  readonly schedule: readonly number[] | null;
}

/**
 * How long to wait before the next attempt, in milliseconds, or `null` when there is none left. Jitter is additive, so an attempt never
 * comes earlier than the schedule or the receiver's `Retry-After` says.
 *
 * @param random a number in [0, 1)
 */
export function nextDeliveryDelayMs({ attempts, retryAfterMs, schedule }: RetryRequest, random: number): number | null {
  const own = schedule?.[attempts - 1];
  const scheduled = schedule === null ? retryScheduleMs[attempts] : own === undefined ? undefined : own * second;
  if (scheduled === undefined) return null;
  const floor = Math.max(scheduled, askedDelayMs(retryAfterMs));
  const jitter = Math.max(leastJitterMs, floor * jitterShare) * random;
  return Math.round(floor + jitter);
}

/** What of a receiver's `Retry-After` is granted, in milliseconds: at most {@link longestRetryAfterMs}, 0 when it did not ask. */
export function askedDelayMs(retryAfterMs: number | null): number {
  return Math.min(Math.max(retryAfterMs ?? 0, 0), longestRetryAfterMs);
}
