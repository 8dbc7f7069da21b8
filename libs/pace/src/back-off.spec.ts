import { backOffMs } from './back-off.js';

describe('back-off', () => {
  const bounds = { firstMs: 100, maxMs: 1_500 };

  it('doubles with each failure up to its bound', () => {
    expect([1, 2, 3, 4, 5, 6, 1_000].map((failures) => backOffMs(failures, bounds, 0))).toEqual([
      100, 200, 400, 800, 1_500, 1_500, 1_500,
    ]);
  });

  it('takes at most half away, so that many processes come back apart', () => {
    expect(backOffMs(1, bounds, 0.999)).toBe(50);
    expect(backOffMs(9, bounds, 0.5)).toBe(1_125);
  });
});
