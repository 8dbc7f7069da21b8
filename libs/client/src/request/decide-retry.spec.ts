import { decideRetry, type FailedAttempt } from './decide-retry.js';

describe('the decision after a failed attempt', () => {
  const budget = { retries: 3, remainingMs: 60_000 };
  const failed = (change: Partial<FailedAttempt> = {}): FailedAttempt => ({
    attempt: 1,
    advice: 'same-key',
    retryAfterMs: null,
    ...change,
  });

  it('repeats what may succeed under the same key, after a pause with jitter', () => {
    expect(decideRetry(failed(), budget, 0.5)).toEqual({ kind: 'repeat', afterMs: 125 });
    expect(decideRetry(failed({ attempt: 3 }), budget, 0.5)).toEqual({ kind: 'repeat', afterMs: 500 });
  });

  it.each(['new-key', 'fix', 'never'] as const)('gives up when the advice is %s', (advice) => {
    expect(decideRetry(failed({ advice, retryAfterMs: 0 }), budget, 0)).toEqual({ kind: 'give-up', because: 'advice' });
  });

  it('never comes back before Retry-After', () => {
    expect(decideRetry(failed({ retryAfterMs: 30_000 }), budget, 0)).toEqual({ kind: 'repeat', afterMs: 30_000 });
    expect(decideRetry(failed({ retryAfterMs: 1_000 }), budget, 0.9)).toEqual({ kind: 'repeat', afterMs: 1_225 });
  });

  it('gives up when the retries are used up', () => {
    expect(decideRetry(failed({ attempt: 3 }), budget, 0).kind).toBe('repeat');
    expect(decideRetry(failed({ attempt: 4 }), budget, 0)).toEqual({ kind: 'give-up', because: 'retries' });
    expect(decideRetry(failed(), { ...budget, retries: 0 }, 0)).toEqual({ kind: 'give-up', because: 'retries' });
  });

  it('gives up at once when it would come back after the deadline', () => {
    expect(decideRetry(failed({ retryAfterMs: 60_000 }), budget, 0)).toEqual({ kind: 'give-up', because: 'deadline' });
    expect(decideRetry(failed(), { ...budget, remainingMs: 0 }, 0)).toEqual({ kind: 'give-up', because: 'deadline' });
  });
});
