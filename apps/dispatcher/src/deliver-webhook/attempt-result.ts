import { type AttemptOutcome, nextDeliveryDelayMs } from '#libs/domain';
import type { NextOfDelivery } from '#libs/persistence';

/** How an attempt ended, as it is recorded. */
export interface AttemptResult {
  readonly outcome: AttemptOutcome;
  readonly durationMs: number;
  readonly statusCode: number | null;
  readonly responseBody: string | null;
  /** How long the receiver asked to wait, if it did. */
  readonly retryAfterMs: number | null;
  /** This process ended it, to shut down. */
  readonly isCutOff: boolean;
}

/**
 * What becomes of a delivery after its attempt. One that was cut off by this process is due again at once, as after a crash; every
 * other failure waits as the schedule and the receiver say.
 *
 * @param attempt number of the attempt, from 1
 * @param random a number in [0, 1)
 */
export function nextOfDelivery(result: AttemptResult, attempt: number, random: number): NextOfDelivery {
  if (result.outcome === 'delivered') return { state: 'delivered' };
  if (result.outcome === 'gone') return { state: 'exhausted' };
  const scheduledMs = nextDeliveryDelayMs(attempt, result.retryAfterMs, random);
  const delayMs = result.isCutOff && scheduledMs !== null ? 0 : scheduledMs;
  return delayMs === null ? { state: 'exhausted' } : { state: 'pending', delayMs };
}
