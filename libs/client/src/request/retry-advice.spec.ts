import { requestErrors } from '#libs/contract';
import { adviceFor, retryAdvice } from './retry-advice.js';

describe('the advice for a refusal', () => {
  it('is what the catalogue of the service says, for every code of it and no other', () => {
    const catalogue = Object.entries(requestErrors).map(([code, { retry }]) => [code, retry]);
    expect(retryAdvice).toEqual(Object.fromEntries(catalogue));
  });

  it('goes by the code, whatever the status', () => {
    expect(adviceFor(500, 'not_found')).toBe('never');
    expect(adviceFor(409, 'idempotency_key_in_use')).toBe('same-key');
    expect(adviceFor(409, 'idempotency_key_reused')).toBe('new-key');
  });

  it.each([null, 'a_later_code', 'toString'])('goes by the status for the code %p', (code) => {
    const advice = [500, 502, 503, 504, 507, 408, 425, 429, 404, 410, 302, 400, 409, 422].map((status) => [
      status,
      adviceFor(status, code),
    ]);
    expect(Object.fromEntries(advice)).toEqual({
      500: 'same-key',
      502: 'same-key',
      503: 'same-key',
      504: 'same-key',
      507: 'same-key',
      408: 'same-key',
      425: 'same-key',
      429: 'same-key',
      404: 'never',
      410: 'never',
      302: 'fix',
      400: 'fix',
      409: 'fix',
      422: 'fix',
    });
  });
});
