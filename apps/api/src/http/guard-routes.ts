import { RequestRefused, type Route } from '#libs/contract';
import { readIdempotencyKey } from '#libs/domain';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import type { Authenticate } from './authenticate.js';
import { mayUse } from './request-context.js';

/** Before a body is read: who sends it, may they, and under which idempotency key, as the declaration of the route says. */
export function guardRoutes(
  instance: FastifyInstance,
  authenticate: Authenticate,
  options: { readonly requireKey: boolean },
): void {
  instance.decorateRequest('caller', null);
  instance.decorateRequest('idempotencyKey', null);
  instance.addHook('onRequest', async (request) => {
    const { route } = request.routeOptions.config;
    if (route === undefined || route.scope === null || isSignedLink(request, route)) return;
    const caller = await authenticate.caller(request.headers.authorization);
    if (!mayUse(caller, route.scope)) {
      throw new RequestRefused('scope_missing', `this needs an API key with the scope ${route.scope}`);
    }
    request.caller = caller;
    if (route.isKeyed) request.idempotencyKey = keyOf(request, options.requireKey);
  });
}

function isSignedLink(request: FastifyRequest, route: Route): boolean {
  const query = request.query as Readonly<Record<string, unknown>>;
  return route.takesSignedLink === true && request.headers.authorization === undefined && 'signature' in query;
}

function keyOf(request: FastifyRequest, isRequired: boolean): string | null {
  const reading = readIdempotencyKey(rawHeaders(request, 'idempotency-key'));
  if (reading.kind === 'invalid')
    throw new RequestRefused('idempotency_key_invalid', `Idempotency-Key: ${reading.problem}`);
  if (reading.kind === 'key') return reading.key;
  if (isRequired) throw new RequestRefused('idempotency_key_required', 'send an Idempotency-Key header');
  return null;
}

/** Every line of a header, where Node would join or drop repeated ones. */
function rawHeaders(request: FastifyRequest, name: string): readonly string[] {
  const { rawHeaders } = request.raw;
  return rawHeaders.filter((_, index) => index % 2 === 1 && rawHeaders[index - 1]?.toLowerCase() === name);
}
