import type { Database, IdempotencyStore, Tx } from '#libs/persistence';
import type { Attempt } from './decide-once.js';
import type { Keyed } from './keyed.js';

/** With what a write and its key become one transaction. */
export interface KeyedTransaction {
  readonly database: Database;
  readonly keys: IdempotencyStore;
  readonly apiKeyId: string;
  /** How long the key is kept, in milliseconds. */
  readonly ttlMs: number;
}

/** Writes in one transaction with the key, if there is one: the work runs only once the key is taken. */
export async function writeUnderKey(
  { database, keys, apiKeyId, ttlMs }: KeyedTransaction,
  keyed: Keyed,
  work: (tx: Tx) => Promise<void>,
): Promise<Attempt> {
  return database.transaction(async (tx) => {
    const taking = keyed === null ? 'taken' : await keys.take(tx, apiKeyId, keyed.record, { mode: keyed.mode, ttlMs });
    if (taking !== 'taken') return taking;
    await work(tx);
    return 'done';
  });
}
