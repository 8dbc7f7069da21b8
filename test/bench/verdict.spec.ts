import { verdict } from './verdict.js';

describe('verdict', () => {
  it('says ok when the target is met, at its bound as far as the target takes it in', () => {
    expect(verdict(0.7, { atLeast: 0.7 })).toBe('target at least 0.7: ok');
    expect(verdict(1.25, { atMost: 1.25 })).toBe('target at most 1.25: ok');
    expect(verdict(1.49, { below: 1.5 })).toBe('target below 1.5: ok');
  });

  it('says MISSED when it is not', () => {
    expect(verdict(0.69, { atLeast: 0.7 })).toBe('target at least 0.7: MISSED');
    expect(verdict(1.26, { atMost: 1.25 })).toBe('target at most 1.25: MISSED');
    expect(verdict(1.5, { below: 1.5 })).toBe('target below 1.5: MISSED');
  });

  it('says MISSED of a figure that could not be measured', () => {
    for (const target of [{ atLeast: 0 }, { atMost: 1 }, { below: 1 }])
      expect(verdict(NaN, target)).toMatch(/: MISSED$/);
  });
});
