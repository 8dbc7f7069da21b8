import { misplacedKey, refusedAt } from '#libs/contract';
import type { FingerprintBody } from '#libs/domain';
import type { RequestBody } from './read-bodies.js';

/** The body of a request that needs none. */
export interface NoBody {
  /** An empty object is the same as nothing. */
  readonly identity: FingerprintBody;
  /** @throws RequestRefused `invalid_request` when there is something in it */
  readonly check: () => void;
}

/** What was sent where nothing is needed: its identity is known before it is refused. */
export function noBody(body: RequestBody): NoBody {
  if (body === undefined) return { identity: { kind: 'none' }, check: () => undefined };
  if (body.kind === 'multipart') return { identity: { kind: 'multipart', parts: [] }, check: refuse };
  if (isEmptyObject(body.json)) return { identity: { kind: 'none' }, check: () => undefined };
  return { identity: { kind: 'json', json: body.json }, check: namesKey(body.json) ? refuseKey : refuse };
}

function namesKey(json: unknown): boolean {
  return typeof json === 'object' && json !== null && 'idempotency_key' in json;
}

function isEmptyObject(json: unknown): boolean {
  return typeof json === 'object' && json !== null && !Array.isArray(json) && Object.keys(json).length === 0;
}

function refuseKey(): never {
  throw refusedAt('invalid_request', '/idempotency_key', misplacedKey('body'));
}

function refuse(): never {
  throw refusedAt('invalid_request', '', 'nothing is taken here: send no body, or an empty object');
}
