import type { Database, IdempotencyStore, StoredAnswer, Tx } from '#libs/persistence';
import type { Attempt } from './create-work.js';
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
  under: KeyedTransaction,
  keyed: Keyed,
  work: (tx: Tx) => Promise<void>,
): Promise<Attempt> {
  return under.database.transaction(async (tx) => {
    const taking = await take(under, tx, keyed);
    if (taking !== 'taken') return taking;
    await work(tx);
    return 'done';
  });
}

/**
 * Writes in one transaction with the key, if there is one, and stores the answer that the work comes to.
 *
 * @param keyed has an answer that stands for nothing
 * @param sealed the answer as it is stored
 */
export async function answerUnderKey(
  under: KeyedTransaction,
  keyed: Keyed,
  work: (tx: Tx) => Promise<StoredAnswer>,
  sealed: (answer: StoredAnswer) => StoredAnswer,
): Promise<StoredAnswer | Exclude<Attempt, 'done'>> {
  return under.database.transaction(async (tx) => {
    const taking = await take(under, tx, keyed);
    if (taking !== 'taken') return taking;
    const answer = await work(tx);
    if (keyed !== null) await under.keys.answer(tx, { ...keyed.record, answer: sealed(answer) });
    return answer;
  });
}

/** The API key is checked in the transaction, with an idempotency key or without. */
async function take(under: KeyedTransaction, tx: Tx, keyed: Keyed): Promise<'taken' | Exclude<Attempt, 'done'>> {
  if (keyed === null) return (await under.keys.isAuthorized(tx, under.apiKeyId)) ? 'taken' : 'unauthorized';
  return under.keys.take(tx, under.apiKeyId, keyed.record, { mode: keyed.mode, ttlMs: under.ttlMs });
}
