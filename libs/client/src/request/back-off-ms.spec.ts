import { backOffMs } from './back-off-ms.js';

describe('the pause before an attempt', () => {
  const most = (attempt: number) => backOffMs(attempt, 1);

  it('may be twice as long each time, up to ten seconds', () => {
    expect([1, 2, 3, 6, 7, 8, 5_000].map(most)).toEqual([250, 500, 1_000, 8_000, 10_000, 10_000, 10_000]);
  });

  it('is anything from nothing to its most, in whole milliseconds', () => {
    expect([0, 0.25, 0.999].map((random) => backOffMs(3, random))).toEqual([0, 250, 999]);
  });

  it('takes other limits', () => {
    expect([1, 2, 3].map((attempt) => backOffMs(attempt, 1, { firstMs: 10, mostMs: 30 }))).toEqual([10, 20, 30]);
  });
});
