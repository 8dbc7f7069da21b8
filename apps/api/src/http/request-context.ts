import type { Route, Scope } from '#libs/contract';
import type { FastifyRequest } from 'fastify';

/** Who sends a request; ids are UUIDs. */
export interface Caller {
  readonly keyId: string;
  readonly accountId: string;
  readonly scopes: readonly string[];
  /** The limit of the account, as the setting RATE_LIMIT is written; `null` where that setting counts. */
  readonly rateLimit: string | null;
}

declare module 'fastify' {
  interface FastifyContextConfig {
    route?: Route;
  }

  interface FastifyRequest {
    /** `null` where a route needs no API key. */
    caller: Caller | null;
    /** `null` without the header, and on routes that take no key. */
    idempotencyKey: string | null;
    /** The code of the problem that it was answered with, `null` when there was none. */
    refusalCode: string | null;
  }
}

/** The caller of a route that needs an API key. */
export function callerOf(request: FastifyRequest): Caller {
  if (request.caller === null) throw new Error(`the route ${request.url} was reached without a caller`);
  return request.caller;
}

/** Whether a caller may use what a scope guards; `admin` may use everything. */
export function mayUse(caller: Caller, scope: Scope): boolean {
  return caller.scopes.includes(scope) || caller.scopes.includes('admin');
}
