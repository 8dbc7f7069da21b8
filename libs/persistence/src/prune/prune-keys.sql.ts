import { statement } from '../database/statement.js';

/**
 * Deletes at most $1 expired idempotency keys. The expiry is checked under the row's lock: a row that an admission is replacing is locked
 * and skipped, one that it has replaced has no expiry any more.
 */
export const pruneKeys = statement(
  'prune-idempotency-keys',
  `
WITH expired AS (
  SELECT account_id, route, key FROM idempotency_keys
  WHERE expires_at <= now()
  ORDER BY expires_at LIMIT $1
  FOR UPDATE SKIP LOCKED
)
DELETE FROM idempotency_keys AS kept USING expired
WHERE (kept.account_id, kept.route, kept.key) = (expired.account_id, expired.route, expired.key)
RETURNING 1`,
);
