import { routes } from '#libs/contract';
import type { FastifyRequest } from 'fastify';
import { createIntent } from './create-intent.js';

function intentOf(url: string) {
  const request = {
    url,
    params: {},
    routeOptions: { config: { route: routes.createJob } },
    caller: { keyId: 'k', accountId: 'a', scopes: [] },
    idempotencyKey: 'order-42',
    entry: {},
  };
  return createIntent(request as unknown as FastifyRequest, { kind: 'none' });
}

describe('createIntent', () => {
  it.each(['/v1/%6aobs', '/%76%31/jobs', 'http://127.0.0.1:3000/v1/jobs'])(
    'takes %s for the route that it is',
    (url) => {
      expect(intentOf(url)).toEqual(intentOf('/v1/jobs'));
    },
  );

  it('counts the whole query (contract 1.5)', () => {
    expect(intentOf('/v1/jobs?a?b').identity).toMatchObject({ query: 'a?b' });
  });
});
