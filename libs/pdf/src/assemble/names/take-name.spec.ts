import { takeName } from './take-name.js';
import { UnusedNames } from './unused-names.js';

describe('a name that is taken', () => {
  it('gets its number in its own encoding', () => {
    const names = new UnusedNames();
    const utf16 = '\xfe\xff\x04\x16';
    expect([utf16, utf16, 'a', 'a'].map((name) => takeName(name, names))).toEqual([
      utf16,
      `${utf16}\0_\x002`,
      'a',
      'a_2',
    ]);
  });

  it('keeps its bytes when they are half a character, or none', () => {
    const names = new UnusedNames();
    for (const name of ['\xfe\xff\x04', '\xfe\xff', '\xfe\xff\xd8\x00']) expect(takeName(name, names)).toBe(name);
  });
});
