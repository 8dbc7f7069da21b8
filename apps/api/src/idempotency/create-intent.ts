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

/** The intent of a request whose body is known. */
export function createIntent(request: FastifyRequest, body: FingerprintBody): CreateIntent {
  const [path = '', query = ''] = request.url.split('?', 2);
  const key = request.idempotencyKey;
  return {
    caller: callerOf(request),
    route: `${request.method} ${path}`,
    key,
    fingerprint: key === null ? '' : fingerprint({ method: request.method, route: path, query, body }),
  };
}
