import fc from 'fast-check';
import { nextDeliveryDelayMs, retryScheduleMs } from './retry-schedule.js';

const unit = fc.double({ min: 0, max: 1, maxExcluded: true, noNaN: true });
const unasked = { retryAfterMs: null, schedule: null };

describe('nextDeliveryDelayMs', () => {
  it('gives ten attempts over about 75 hours (contract 4.4)', () => {
    const total = retryScheduleMs.reduce((sum, delay) => sum + delay, 0);
    expect(retryScheduleMs).toHaveLength(10);
    expect(total / 3_600_000).toBeCloseTo(75.6, 0);
    expect(nextDeliveryDelayMs({ attempts: 10, ...unasked }, 0)).toBeNull();
  });

  it('never comes earlier than the schedule or the receiver says', () => {
    fc.assert(
      fc.property(
        fc.integer({ min: 1, max: 9 }),
        fc.integer({ min: -10, max: 10_000_000 }),
        unit,
        (attempts, asked, random) => {
          const delay = nextDeliveryDelayMs({ attempts, retryAfterMs: asked, schedule: null }, random) ?? -1;
          expect(delay).toBeGreaterThanOrEqual(retryScheduleMs[attempts] ?? Infinity);
          expect(delay).toBeGreaterThanOrEqual(asked);
        },
      ),
    );
  });

  it('goes by the schedule of the endpoint where it has one, which may be empty (contract 4.4)', () => {
    const schedule = [0, 60];
    const delays = [1, 2, 3].map((attempts) => nextDeliveryDelayMs({ attempts, retryAfterMs: null, schedule }, 0));
    expect(delays).toEqual([0, 60_000, null]);
    expect(nextDeliveryDelayMs({ attempts: 1, retryAfterMs: 5_000, schedule: [] }, 0)).toBeNull();
    expect(nextDeliveryDelayMs({ attempts: 1, retryAfterMs: 5_000, schedule }, 0)).toBe(5_000);
  });

  it('caps what a receiver can ask for at a day (contract 4.3)', () => {
    expect(nextDeliveryDelayMs({ attempts: 1, retryAfterMs: 10 ** 12, schedule: null }, 0)).toBe(24 * 3_600_000);
  });
});
