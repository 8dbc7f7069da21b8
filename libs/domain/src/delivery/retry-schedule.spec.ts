import fc from 'fast-check';
import { nextDeliveryDelayMs, retryScheduleMs } from './retry-schedule.js';

const unit = fc.double({ min: 0, max: 1, maxExcluded: true, noNaN: true });

describe('nextDeliveryDelayMs', () => {
  it('gives ten attempts over about 75 hours', () => {
    const total = retryScheduleMs.reduce((sum, delay) => sum + delay, 0);
    expect(retryScheduleMs).toHaveLength(10);
    expect(total / 3_600_000).toBeCloseTo(75.6, 0);
    expect(nextDeliveryDelayMs(10, null, 0)).toBeNull();
  });

  it('never comes earlier than the schedule or the receiver says', () => {
    fc.assert(
      fc.property(
        fc.integer({ min: 1, max: 9 }),
        fc.integer({ min: -10, max: 10_000_000 }),
        unit,
        (attempts, asked, random) => {
          const delay = nextDeliveryDelayMs(attempts, asked, random) ?? -1;
          expect(delay).toBeGreaterThanOrEqual(retryScheduleMs[attempts] ?? Infinity);
          expect(delay).toBeGreaterThanOrEqual(asked);
        },
      ),
    );
  });

  it('caps what a receiver can ask for at a day', () => {
    expect(nextDeliveryDelayMs(1, 10 ** 12, 0)).toBe(24 * 3_600_000);
  });
});
