import { statement } from '../database/statement.js';

/** Deletes at most $1 recoveries that ended more than $2 ms ago. */
export const pruneRecoveries = statement(
  'prune-recoveries',
  `
WITH ended AS (
  SELECT id FROM recoveries
  WHERE state <> 'running' AND finished_at < now() - $2::float8 * interval '1 millisecond'
  ORDER BY finished_at LIMIT $1
  FOR UPDATE SKIP LOCKED
)
DELETE FROM recoveries USING ended WHERE recoveries.id = ended.id
RETURNING 1`,
);
