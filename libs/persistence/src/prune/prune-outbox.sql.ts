import { statement } from '../database/statement.js';

/** Deletes at most $1 outbox rows older than $2 ms with which the relay has nothing more to do; refused ones stay for 30 days. */
export const pruneOutbox = statement(
  'prune-outbox',
  `
WITH settled AS (
  SELECT id FROM outbox
  WHERE state <> 'pending' AND created_at < now() - $2::float8 * interval '1 millisecond'
    AND (state <> 'dead' OR created_at < now() - interval '30 days')
  ORDER BY created_at LIMIT $1
  FOR UPDATE SKIP LOCKED
)
DELETE FROM outbox USING settled WHERE outbox.id = settled.id
RETURNING 1`,
);
