import { randomBytes } from 'node:crypto';
import { SecretKeyError, SecretKeyring } from './secret-keyring.js';

const entry = (id: string, fill: number) => `${id}:${Buffer.alloc(32, fill).toString('base64')}`;
const old = SecretKeyring.parse(entry('a', 1), randomBytes);
const rotated = SecretKeyring.parse(`${entry('b', 2)}, ${entry('a', 1)}`, randomBytes);

describe('SecretKeyring', () => {
  it('opens what an older key sealed, after a rotation (contract 1.6)', () => {
    expect(rotated.open(old.seal('whsec_x'))).toBe('whsec_x');
    expect(rotated.currentId).toBe('b');
  });

  it('refuses what an unknown key sealed and what was changed', () => {
    expect(() => old.open(rotated.seal('x'))).toThrow(SecretKeyError);
    const sealed = old.seal('x');
    expect(() => old.open(`${sealed.slice(0, -2)}AA`)).toThrow(SecretKeyError);
  });

  it('seals the same way only with the same randomness', () => {
    const fixed = SecretKeyring.parse(entry('a', 1), (size) => Buffer.alloc(size, 7));
    expect(fixed.seal('x')).toBe(fixed.seal('x'));
    expect(old.seal('x')).not.toBe(old.seal('x'));
    expect(old.open(fixed.seal('x'))).toBe('x');
  });

  it('signs the same text the same way under the key that is named', () => {
    const signature = old.sign('a', 'text');
    expect(rotated.sign('a', 'text')).toBe(signature);
    expect(rotated.verifies('a', 'text', signature)).toBe(true);
    expect(rotated.verifies('a', 'texu', signature)).toBe(false);
    expect(rotated.verifies('zz', 'text', signature)).toBe(false);
  });

  it.each(['', 'abc', 'a:AAAA', `${entry('a', 1)},${entry('a', 2)}`])(
    'refuses the list %p without showing it',
    (text) => {
      expect(() => SecretKeyring.parse(text, randomBytes)).toThrow(SecretKeyError);
    },
  );
});
