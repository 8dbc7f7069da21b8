import { type AttemptResult, nextOfDelivery } from './attempt-result.js';

const failed: AttemptResult = {
  outcome: 'server_error',
  durationMs: 5,
  statusCode: 503,
  responseBody: '',
  retryAfterMs: null,
  isCutOff: false,
};
const claimed = { attempt: 1, uncounted: 0, isProbe: false, retrySchedule: null };

describe('a delivery whose attempt failed', () => {
  it('waits as the schedule says, at least as long as the receiver asks', () => {
    expect(nextOfDelivery(failed, claimed, 0)).toEqual({ state: 'pending', delayMs: 5_000 });
    const asked = { ...failed, retryAfterMs: 120_000 };
    expect(nextOfDelivery(asked, claimed, 0)).toEqual({ state: 'pending', delayMs: 120_000 });
  });

  it('is exhausted by the last attempt of the schedule, that of the endpoint where it has one (contract 4.4)', () => {
    expect(nextOfDelivery(failed, { ...claimed, attempt: 9 }, 0)).toMatchObject({ state: 'pending' });
    expect(nextOfDelivery(failed, { ...claimed, attempt: 10 }, 0)).toEqual({ state: 'exhausted' });
    expect(nextOfDelivery(failed, { ...claimed, retrySchedule: [] }, 0)).toEqual({ state: 'exhausted' });
    const two = { ...claimed, retrySchedule: [7] };
    expect(nextOfDelivery(failed, two, 0)).toEqual({ state: 'pending', delayMs: 7_000 });
    expect(nextOfDelivery(failed, { ...two, attempt: 2 }, 0)).toEqual({ state: 'exhausted' });
  });

  it('has as many attempts left as before when it was a probe or was cut off (contract 4.7)', () => {
    const probe = { ...claimed, attempt: 10, isProbe: true };
    expect(nextOfDelivery(failed, probe, 0)).toEqual({ state: 'pending', delayMs: 0, isUncounted: true });
    const asked = { ...failed, retryAfterMs: 9_000 };
    expect(nextOfDelivery(asked, probe, 0)).toEqual({ state: 'pending', delayMs: 9_000, isUncounted: true });
    const cutOff = { ...failed, isCutOff: true };
    expect(nextOfDelivery(cutOff, { ...claimed, attempt: 10 }, 0)).toMatchObject({ delayMs: 0, isUncounted: true });
    expect(nextOfDelivery(failed, { ...claimed, attempt: 12, uncounted: 3 }, 0)).toMatchObject({ state: 'pending' });
    expect(nextOfDelivery(failed, { ...claimed, attempt: 13, uncounted: 3 }, 0)).toEqual({ state: 'exhausted' });
  });

  it('is over when its endpoint is gone', () => {
    expect(nextOfDelivery({ ...failed, outcome: 'gone' }, { ...claimed, isProbe: true }, 0)).toEqual({
      state: 'exhausted',
    });
  });
});
