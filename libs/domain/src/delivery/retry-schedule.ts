const second = 1_000;
const minute = 60 * second;
const hour = 60 * minute;

/** The delays before each attempt of a delivery, in milliseconds (Standard Webhooks 1.0.0, retry schedule): 10 attempts in about 75 hours. */
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

const longestRetryAfterMs = 24 * hour;
const jitterShare = 0.1;
const leastJitterMs = 2 * second;

/**
 * How long to wait before the next attempt, in milliseconds, or `null` when there is none left. Jitter is additive, so an attempt never
 * comes earlier than the schedule or the receiver's `Retry-After` says.
 *
 * @param attempts how many attempts were made
 * @param retryAfterMs what the receiver asked for, if it did
 * @param random a number in [0, 1)
 */
export function nextDeliveryDelayMs(attempts: number, retryAfterMs: number | null, random: number): number | null {
  const scheduled = retryScheduleMs[attempts];
  if (scheduled === undefined) return null;
  const asked = Math.min(Math.max(retryAfterMs ?? 0, 0), longestRetryAfterMs);
  const floor = Math.max(scheduled, asked);
  const jitter = Math.max(leastJitterMs, floor * jitterShare) * random;
  return Math.round(floor + jitter);
}
