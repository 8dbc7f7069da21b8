import { isApiKeyLive } from '../api-keys/api-key.sql.js';
import type { Queryable, Tx } from '../database/database.js';
import { answerKey, findKeys, takeKeyOnly } from './idempotency.sql.js';
import type { IdempotencyRecord, KeyScope, KeyToTake, StoredAnswer } from './idempotency-record.js';
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

/** A key, and the id of the API key that asks for its record. */
export interface AskedKey extends KeyScope {
  readonly apiKeyId: string;
}

interface KeyRow {
  readonly number: number;
  readonly fingerprint: string;
  readonly status: number;
  readonly location: string | null;
  readonly content_type: string;
  readonly body: string;
  readonly is_sealed: boolean;
  readonly is_expired: boolean;
  readonly is_authorized: boolean;
}

/** The records of idempotency keys. */
export class IdempotencyStore {
  constructor(private readonly database: Queryable) {}

  /** The committed record of each of several keys, expired ones too, in the order asked; one statement. */
  async findAll(asked: readonly AskedKey[]): Promise<readonly (FoundKey | null)[]> {
    const rows = await this.database.query<KeyRow>(findKeys, [
      asked.map(({ accountId }) => accountId),
      asked.map(({ route }) => route),
      asked.map(({ key }) => key),
      asked.map(({ apiKeyId }) => apiKeyId),
    ]);
    const found = new Map(rows.map((row) => [row.number, foundKey(row)]));
    return asked.map((_, index) => found.get(index + 1) ?? null);
  }

  /**
   * Takes a key for what the transaction writes next, and checks the API key; without a key only that.
   *
   * @param ttlMs how long the key is kept
   */
  async take(tx: Tx, apiKeyId: string, key: KeyToTake | null, ttlMs: number): Promise<Taking> {
    if (key === null) return (await isLive(tx, apiKeyId)) ? 'taken' : 'unauthorized';
    const values = [apiKeyId, ttlMs / 1_000, ...keyParameters(key.record)];
    const [row] = await tx.query<{ is_authorized: boolean; is_taken: boolean }>(takeKeyOnly[key.mode], values);
    if (row?.is_authorized !== true) return 'unauthorized';
    return row.is_taken ? 'taken' : 'held';
  }

  /** Gives the record that this transaction has taken the answer that its work came to; the one it was taken with is replaced. */
  async answer(tx: Tx, record: IdempotencyRecord): Promise<void> {
    const { accountId, route, key, answer, isSealed } = record;
    const { status, location, contentType, body } = answer;
    const values = [accountId, route, key, status, location, contentType, Buffer.from(body), isSealed];
    const rows = await tx.query(answerKey, values);
    if (rows.length === 0) throw new Error(`no record of ${route} was taken in this transaction`);
  }
}

async function isLive(tx: Tx, apiKeyId: string): Promise<boolean> {
  const [row] = await tx.query<{ is_live: boolean }>(isApiKeyLive, [apiKeyId]);
  return row?.is_live === true;
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
