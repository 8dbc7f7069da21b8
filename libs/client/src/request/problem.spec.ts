import { problemOf } from './problem.js';

describe('a refusal', () => {
  const read = (status: number, body: string, headers: Record<string, string> = {}) =>
    problemOf({ status, headers: new Headers(headers) }, body, 0);

  it('is read from its problem document and its headers', () => {
    const errors = [{ pointer: '/operation', detail: 'unknown' }];
    const body = JSON.stringify({ status: 400, code: 'invalid_request', title: 'Not valid', detail: 'see', errors });
    expect(read(400, body, { 'x-request-id': 'req_1', 'retry-after': '2' })).toEqual({
      status: 400,
      code: 'invalid_request',
      detail: 'see',
      errors,
      requestId: 'req_1',
      retryAfterMs: 2_000,
    });
  });

  it('takes its title when there is no detail', () => {
    expect(read(503, '{"code":"unavailable","title":"Away"}')).toMatchObject({ detail: 'Away', errors: [] });
  });

  it.each(['<html>Bad Gateway</html>', '{"error":"x"}', '"text"', 'null'])('has no code when it is %p', (body) => {
    expect(read(502, body)).toMatchObject({ status: 502, code: null, detail: body });
  });

  it('has a detail even when it is empty', () => {
    expect(read(502, '')).toMatchObject({ code: null, detail: 'no detail', requestId: null, retryAfterMs: null });
  });

  it('shows the beginning of a long page only', () => {
    expect(read(502, 'x'.repeat(100_000)).detail).toHaveLength(200);
  });
});
