import { type FingerprintBody, type FingerprintInput } from '#libs/domain';
import type { FastifyRequest } from 'fastify';
import { type Caller, callerOf } from '../http/request-context.js';
import type { Entry } from './entry.js';

declare module 'fastify' {
  interface FastifyRequest {
    /** What was found out before the body was read; `null` on routes that take no key. */
    entry: Entry | null;
  }
}

/** A create request as far as its idempotency goes. */
export interface CreateIntent {
  readonly caller: Caller;
  /** Method, route template and path parameters: what a key is scoped to, with its account. */
  readonly route: string;
  readonly key: string | null;
  /** What tells the request from another with its key. */
  readonly identity: FingerprintInput;
  /** What became of the request before its body was read. */
  readonly entry: Entry;
}

/** The intent of a request whose body is known. */
export function createIntent(request: FastifyRequest, body: FingerprintBody): CreateIntent {
  const { idempotencyKey: key, entry } = request;
  if (entry === null) throw new Error(`${request.url} takes no idempotency key`);
  const { method, path } = declaredPath(request);
  return {
    caller: callerOf(request),
    route: `${method} ${path}`,
    key,
    identity: { method, route: path, query: queryOf(request.url), body },
    entry,
  };
}

/** What a key is scoped to: the declared route with its parameters, however the path was spelt. */
export function keyedRoute(request: FastifyRequest): string {
  const { method, path } = declaredPath(request);
  return `${method} ${path}`;
}

function declaredPath(request: FastifyRequest): { readonly method: string; readonly path: string } {
  const { route } = request.routeOptions.config;
  if (route === undefined) throw new Error(`${request.url} is no declared route`);
  const params = request.params as Readonly<Record<string, string>>;
  const path = route.path.replace(/:(\w+)/g, (_, name: string) => encodeURIComponent(params[name] ?? ''));
  return { method: route.method, path };
}

function queryOf(url: string): string {
  const start = url.indexOf('?');
  return start === -1 ? '' : url.slice(start + 1);
}
