import { limitsOf, usualLimits } from './client-options.js';

describe('the limits of a call', () => {
  it('are those of its client where it names none', () => {
    expect(limitsOf({}, usualLimits)).toEqual(usualLimits);
    expect(limitsOf({ retries: 0, deadlineMs: undefined }, usualLimits)).toEqual({ ...usualLimits, retries: 0 });
  });

  it.each([
    { timeoutMs: 0 },
    { timeoutMs: Number.NaN },
    { deadlineMs: -1 },
    { deadlineMs: Infinity },
    { retries: -1 },
    { retries: Number.NaN },
  ])('cannot be %p', (options) => {
    expect(() => limitsOf(options, usualLimits)).toThrow(RangeError);
  });
});
