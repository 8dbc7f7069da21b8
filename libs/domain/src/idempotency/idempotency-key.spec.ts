import { readIdempotencyKey } from './idempotency-key.js';

describe('readIdempotencyKey', () => {
  it('takes the bare and the quoted value as the same key (contract 1.3)', () => {
    expect(readIdempotencyKey([' order-42 '])).toEqual({ kind: 'key', key: 'order-42' });
    expect(readIdempotencyKey(['"order-42"'])).toEqual({ kind: 'key', key: 'order-42' });
    expect(readIdempotencyKey(['"a\\"b"'])).toEqual({ kind: 'key', key: 'a"b' });
  });

  it('takes 255 characters (contract 1.3)', () => {
    expect(readIdempotencyKey(['k'.repeat(255)]).kind).toBe('key');
  });

  it('is absent without a header', () => {
    expect(readIdempotencyKey([])).toEqual({ kind: 'absent' });
  });

  it.each([
    [['']],
    [['""']],
    [['a', 'a']],
    [['"a']],
    [['a"b']],
    [['k'.repeat(256)]],
    [['caf\u00e9']],
    [['a\u0000b']],
    [['<b>']],
    [['a\tb']],
  ])('refuses %j and says why (contract 1.3)', (values) => {
    expect(readIdempotencyKey(values)).toEqual({ kind: 'invalid', problem: expect.any(String) as string });
  });
});
