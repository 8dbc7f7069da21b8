import { RecentKeys } from './recent-keys.js';

describe('RecentKeys', () => {
  it('knows the 10,000 names that were named last', () => {
    const recent = new RecentKeys();
    for (let number = 0; number < 10_000; number += 1) recent.add(String(number));
    recent.add('0');
    recent.add('one more');
    expect(['0', '2', '9999', 'one more'].map((name) => recent.has(name))).toEqual([true, true, true, true]);
    expect(recent.has('1')).toBe(false);
  });
});
