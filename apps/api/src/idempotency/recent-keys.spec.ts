import { RecentKeys } from './recent-keys.js';

describe('RecentKeys', () => {
  const names = Array.from({ length: 5_000 }, (_, number) => `account\nPOST /v1/jobs\norder-${number}`);

  it('knows nearly all of the names that were named lately, the last one always', () => {
    const recent = new RecentKeys();
    for (const name of names) {
      recent.add(name);
      expect(recent.has(name)).toBe(true);
    }
    expect(names.filter((name) => recent.has(name)).length).toBeGreaterThan(0.8 * names.length);
  });

  it('takes no other name for one of them', () => {
    const recent = new RecentKeys();
    for (const name of names) recent.add(name);
    expect(names.filter((name) => recent.has(`${name}0x`))).toEqual([]);
  });
});
