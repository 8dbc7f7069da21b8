import { statement } from '../database/statement.js';

/** Deletes at most $1 expired jobs that no idempotency key and no unfinished job names. */
export const pruneJobs = statement(
  'prune-jobs',
  `
WITH expired AS (
  SELECT id FROM jobs
  WHERE expires_at <= now()
    AND NOT EXISTS (SELECT FROM idempotency_keys WHERE idempotency_keys.job_id = jobs.id)
    AND id NOT IN (
      SELECT source_job_id FROM jobs AS unfinished JOIN job_inputs ON job_inputs.job_id = unfinished.id
      WHERE unfinished.state IN ('queued', 'processing') AND source_job_id IS NOT NULL
    )
  ORDER BY expires_at LIMIT $1
  FOR UPDATE SKIP LOCKED
)
DELETE FROM jobs USING expired WHERE jobs.id = expired.id
RETURNING 1`,
);
