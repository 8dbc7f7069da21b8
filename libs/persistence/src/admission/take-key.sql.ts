import type { KeyMode } from './idempotency-record.js';

/** Columns of the record, in the order of the parameters that follow `first`. */
const columns = 'account_id, route, key, fingerprint, status, location, content_type, body, is_sealed';

/**
 * The part of a statement that takes a key, in front of the work that is written with it. It gives one row if and only if the key is now
 * this request's, and the caller is still allowed to have it.
 *
 * insert: waits for an open transaction that holds the key, then gives no row if that one committed.
 * replace: waits for the row, then looks at its expiry again, so of two replacements one wins and a purge of the old row deletes nothing new.
 *
 * @param first number of the first parameter; {@link keyParameters} gives the values
 * @param work expressions of `job_id, batch_id, expires_at` for the record
 * @param caller the part of the statement that has a row if the caller may have the key
 */
export function takeKey(
  mode: KeyMode,
  first: number,
  work: { readonly jobId: string; readonly batchId: string; readonly expiresAt: string },
  caller = 'caller',
): string {
  const [account, route, key, ...answer] = columns.split(', ').map((_, index) => `$${first + index}`);
  if (mode === 'insert') {
    return `INSERT INTO idempotency_keys (${columns}, job_id, batch_id, expires_at)
  SELECT ${[account, route, key, ...answer].join(', ')}, ${work.jobId}, ${work.batchId}, ${work.expiresAt} FROM ${caller}
  ON CONFLICT DO NOTHING
  RETURNING key`;
  }
  return `UPDATE idempotency_keys
  SET (fingerprint, status, location, content_type, body, is_sealed, job_id, batch_id, expires_at, created_at)
    = (${answer.join(', ')}, ${work.jobId}, ${work.batchId}, ${work.expiresAt}, now())
  FROM ${caller}
  WHERE account_id = ${account} AND route = ${route} AND key = ${key} AND expires_at <= now()
  RETURNING key`;
}
