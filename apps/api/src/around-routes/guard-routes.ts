import { RequestRefused, type Route } from '#libs/contract';
import { readIdempotencyKey } from '#libs/domain';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { type Caller, mayUse } from '../http/request-context.js';
import { keyedRoute } from '../idempotency/create-intent.js';
import type { Entrance } from '../idempotency/entrance.js';
import type { Authenticate } from './authenticate.js';

/** With what requests are guarded. */
export interface Guard {
  readonly authenticate: Authenticate;
  readonly entrance: Entrance;
  readonly requireKey: boolean;
}

/**
 * Before a body is read: who sends it, may they, under which idempotency key, and on whose budget, as the declaration of the route says.
 * Every answer of a route that is limited tells the state of the budget, which is never stored.
 */
export function guardRoutes(instance: FastifyInstance, { authenticate, entrance, requireKey }: Guard): void {
  instance.decorateRequest('caller', null);
  instance.decorateRequest('idempotencyKey', null);
  instance.decorateRequest('entry', null);
  instance.addHook('onRequest', async (request, reply) => {
    const { route } = request.routeOptions.config;
    if (route === undefined || route.scope === null || isSignedLink(request, route)) return;
    const caller = await authenticate.caller(request.headers.authorization);
    if (!mayUse(caller, route.scope)) {
      throw new RequestRefused('scope_missing', `this needs an API key with the scope ${route.scope}`);
    }
    request.caller = caller;
    if (!route.isKeyed) return;
    request.idempotencyKey = keyOf(request, requireKey);
    await enter(entrance, caller, request, reply);
  });
  instance.addHook('onSend', (request, reply, _payload, done) => {
    if (request.entry !== null) reply.headers(request.entry.rateLimitHeaders());
    done();
  });
}

async function enter(entrance: Entrance, caller: Caller, request: FastifyRequest, reply: FastifyReply): Promise<void> {
  const { idempotencyKey: key } = request;
  request.entry = entrance.enter({ caller, route: keyedRoute(request), key, client: reply.raw });
  await request.entry.begin();
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
