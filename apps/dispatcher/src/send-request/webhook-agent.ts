import { Agent, type Dispatcher, Pool } from 'undici';
import type { AddressGuard } from '#libs/domain';
import { AddressRefused, type ResolveHost, vettingLookup } from './vetting-lookup.js';

const connectTimeoutMs = 5_000;
const mostHeaderBytes = 32 * 1024;

/**
 * Connections to receivers, kept alive in one pool for each origin. Follows no redirects and uses no proxy. A pool connects only to
 * addresses that the guard lets pass for its scheme and host.
 */
export function webhookAgent(guard: AddressGuard, resolve: ResolveHost): Dispatcher {
  return new Agent({ factory: (origin) => guardedPool(String(origin), guard, resolve) });
}

/** @throws AddressRefused when the origin is refused as it is written */
function guardedPool(origin: string, guard: AddressGuard, resolve: ResolveHost): Pool {
  const verdict = guard.vetUrl(origin);
  if (verdict.kind === 'refused') throw new AddressRefused(verdict);
  const connect =
    verdict.kind === 'name'
      ? { timeout: connectTimeoutMs, lookup: vettingLookup(guard, verdict.requires, resolve) }
      : { timeout: connectTimeoutMs };
  return new Pool(origin, {
    connect,
    pipelining: 1,
    headersTimeout: 0,
    bodyTimeout: 0,
    maxHeaderSize: mostHeaderBytes,
  });
}
