import { oncePer } from './once-per.js';

describe('oncePer', () => {
  it('computes once for each key', () => {
    let computed = 0;
    const sizeOf = oncePer((key: readonly number[]) => {
      computed += 1;
      return key.length === 0 ? undefined : key.length;
    });
    const [one, other] = [[1, 2], []];
    expect([sizeOf(one), sizeOf(other), sizeOf(one), sizeOf(other)]).toEqual([2, undefined, 2, undefined]);
    expect(computed).toBe(2);
  });
});
