import type { Queryable, Tx } from '../database/database.js';
import { findKey, takeKeyOnly } from './idempotency.sql.js';
import type { IdempotencyRecord, KeyMode, KeyScope, StoredAnswer } from './idempotency-record.js';
import { keyParameters } from './key-parameters.js';

/** What is stored under a key. */
export interface FoundKey {
  readonly fingerprint: string;
  readonly answer: StoredAnswer;
  readonly isSealed: boolean;
  readonly isExpired: boolean;
  /** Whether the API key that asks is live. */
  readonly isAuthorized: boolean;
}

/** How taking a key ended: `held` means that a committed record has it, `unauthorized` that the API key was revoked. */
export type Taking = 'taken' | 'held' | 'unauthorized';

interface KeyRow {
  readonly fingerprint: string;
  readonly status: number;
  readonly location: string | null;
  readonly content_type: string;
  readonly body: Buffer;
  readonly is_sealed: boolean;
  readonly is_expired: boolean;
  readonly is_authorized: boolean;
}

/** The records of idempotency keys. */
export class IdempotencyStore {
  constructor(private readonly database: Queryable) {}

  /** The committed record of a key, expired ones too. */
  async find(scope: KeyScope, apiKeyId: string): Promise<FoundKey | null> {
    const [row] = await this.database.query<KeyRow>(findKey, [scope.accountId, scope.route, scope.key, apiKeyId]);
    return row === undefined ? null : foundKey(row);
  }

  /** Takes a key for what the transaction writes next. */
  async take(
    tx: Tx,
    apiKeyId: string,
    record: IdempotencyRecord,
    options: { readonly mode: KeyMode; readonly ttlMs: number },
  ): Promise<Taking> {
    const values = [apiKeyId, options.ttlMs / 1_000, ...keyParameters(record)];
    const [row] = await tx.query<{ is_authorized: boolean; is_taken: boolean }>(takeKeyOnly[options.mode], values);
    if (row?.is_authorized !== true) return 'unauthorized';
    return row.is_taken ? 'taken' : 'held';
  }
}

function foundKey(row: KeyRow): FoundKey {
  const { fingerprint, status, location, body } = row;
  return {
    fingerprint,
    answer: { status, location, contentType: row.content_type, body },
    isSealed: row.is_sealed,
    isExpired: row.is_expired,
    isAuthorized: row.is_authorized,
  };
}
