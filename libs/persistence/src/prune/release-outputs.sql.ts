import { statement } from '../database/statement.js';

/** Ends the hold of at most $1 expired outputs on their objects; name, size and hash stay. */
export const releaseOutputs = statement(
  'release-outputs',
  `
WITH expired AS (
  SELECT job_id, index FROM job_outputs
  WHERE object_id IS NOT NULL AND expires_at <= now()
  ORDER BY expires_at LIMIT $1
  FOR UPDATE SKIP LOCKED
)
UPDATE job_outputs SET object_id = NULL FROM expired
WHERE (job_outputs.job_id, job_outputs.index) = (expired.job_id, expired.index)
RETURNING 1`,
);
