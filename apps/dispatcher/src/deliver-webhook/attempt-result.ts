import { askedDelayMs, type AttemptOutcome, nextDeliveryDelayMs } from '#libs/domain';
import type { ClaimedDelivery, NextOfDelivery } from '#libs/persistence';

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

/** What decides what comes after an attempt. */
export type AttemptedDelivery = Pick<ClaimedDelivery, 'attempt' | 'uncounted' | 'isProbe' | 'retrySchedule'>;

/**
 * What becomes of a delivery after its attempt. One that was cut off by this process is due again at once, and one that probed a failing
 * endpoint in vain is parked again; neither costs an attempt of the schedule. Every other failure waits as the schedule and the receiver say.
 *
 * @param random a number in [0, 1)
 */
export function nextOfDelivery(result: AttemptResult, claimed: AttemptedDelivery, random: number): NextOfDelivery {
  const { outcome, retryAfterMs } = result;
  if (outcome === 'delivered') return { state: 'delivered' };
  if (outcome === 'gone') return { state: 'exhausted' };
  if (result.isCutOff) return { state: 'pending', delayMs: 0, isUncounted: true };
  if (claimed.isProbe) return { state: 'pending', delayMs: askedDelayMs(retryAfterMs), isUncounted: true };
  const attempts = claimed.attempt - claimed.uncounted;
  const delayMs = nextDeliveryDelayMs({ attempts, retryAfterMs, schedule: claimed.retrySchedule }, random);
  return delayMs === null ? { state: 'exhausted' } : { state: 'pending', delayMs };
}
