import { noBody } from './no-body.js';

describe('a body where none is needed', () => {
  it('is nothing or an empty object', () => {
    expect(() => noBody(undefined).check()).not.toThrow();
    expect(() => noBody({ kind: 'json', json: {} }).check()).not.toThrow();
  });

  it.each([[null], [[]], ['x'], [{ a: 1 }]])('is refused when it is %j', (json) => {
    expect(() => noBody({ kind: 'json', json }).check()).toThrow('send no body');
  });

  it('that has the idempotency key names the header (contract 1.3)', () => {
    expect(() => noBody({ kind: 'json', json: { idempotency_key: 'x' } }).check()).toThrow('Idempotency-Key header');
  });
});
