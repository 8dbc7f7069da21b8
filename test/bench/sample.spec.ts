import { Sample } from './sample.js';

describe('Sample', () => {
  it('has the value in the middle as its median, whatever the order', () => {
    expect(new Sample([9, 1, 5]).median).toBe(5);
    expect(new Sample([7]).median).toBe(7);
  });

  it('has what lies between the two in the middle as the median of an even number', () => {
    expect(new Sample([4, 1, 2, 100]).median).toBe(3);
  });

  it('gives the value that a share of all does not exceed', () => {
    const hundred = new Sample(Array.from({ length: 100 }, (_, index) => index + 1));
    expect(hundred.quantile(0.99)).toBe(100);
    expect(hundred.quantile(0.5)).toBe(51);
    expect(hundred.quantile(1)).toBe(100);
  });

  it('knows nothing of no values', () => {
    expect([new Sample([]).median, new Sample([]).quantile(0.99)]).toEqual([NaN, NaN]);
  });
});
