import { comparisonOf } from './comparison.js';
import type { ServerLoad } from './run-load.js';

const load = (perSecond: number) => ({ perSecond }) as ServerLoad;

describe('comparisonOf', () => {
  it('takes ratios within pairs, so that a slow pair weighs nothing, and their median', () => {
    const pairs = [
      { api: load(700), bare: load(1_000) },
      { api: load(8), bare: load(10) },
      { api: load(600), bare: load(1_000) },
    ];
    const { ratios, ratio } = comparisonOf(pairs, ({ api, bare }) => api.perSecond / bare.perSecond);
    expect(ratios).toEqual([0.7, 0.8, 0.6]);
    expect(ratio).toBe(0.7);
  });
});
