import { backOffMs } from './back-off-ms.js';
import type { RetryAdvice } from './retry-advice.js';

/** An attempt that brought nothing. */
export interface FailedAttempt {
  /** From 1. */
  readonly attempt: number;
  /** `same-key` when there was no answer. */
  readonly advice: RetryAdvice;
  /** What the service asked for. */
  readonly retryAfterMs: number | null;
}

/** How much may still be tried. */
export interface RetryBudget {
  /** How often the request may be repeated. */
  readonly retries: number;
  /** Until the deadline. */
  readonly remainingMs: number;
}

/** What to do after a failed attempt. */
export type RetryDecision =
  | { readonly kind: 'repeat'; readonly afterMs: number }
  | { readonly kind: 'give-up'; readonly because: 'advice' | 'retries' | 'deadline' };

/**
 * Decides whether a request is sent again under its key, and when: not before `Retry-After`, with jitter on top of it, so that those who were
 * sent away together do not come back together.
 *
 * @param random from 0, below 1
 */
export function decideRetry(failed: FailedAttempt, budget: RetryBudget, random: number): RetryDecision {
  if (failed.advice !== 'same-key') return { kind: 'give-up', because: 'advice' };
  if (failed.attempt > budget.retries) return { kind: 'give-up', because: 'retries' };
  const afterMs = (failed.retryAfterMs ?? 0) + backOffMs(failed.attempt, random);
  return afterMs < budget.remainingMs ? { kind: 'repeat', afterMs } : { kind: 'give-up', because: 'deadline' };
}
