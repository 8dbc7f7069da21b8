import { fingerprint, type FingerprintBody } from '#libs/domain';
import type { FastifyRequest } from 'fastify';
import { type Caller, callerOf } from '../http/request-context.js';

/** A create request as far as its idempotency goes. */
export interface CreateIntent {
  readonly caller: Caller;
  /** Method, route template and path parameters: what a key is scoped to, with its account. */
  readonly route: string;
  readonly key: string | null;
  /** Identity of the request; empty without a key. */
  readonly fingerprint: string;
}

/** The intent of a request whose body is known. Its route is the declared one with its parameters, however the path was spelt. */
export function createIntent(request: FastifyRequest, body: FingerprintBody): CreateIntent {
  const { route } = request.routeOptions.config;
  if (route === undefined) throw new Error(`${request.url} is no declared route`);
  const params = request.params as Readonly<Record<string, string>>;
  const path = route.path.replace(/:(\w+)/g, (_, name: string) => encodeURIComponent(params[name] ?? ''));
  const key = request.idempotencyKey;
  return {
    caller: callerOf(request),
    route: `${route.method} ${path}`,
    key,
    fingerprint:
      key === null ? '' : fingerprint({ method: route.method, route: path, query: queryOf(request.url), body }),
  };
}

function queryOf(url: string): string {
  const start = url.indexOf('?');
  return start === -1 ? '' : url.slice(start + 1);
}
