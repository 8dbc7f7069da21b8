import { statement } from '../database/statement.js';

/** Puts job $1 of claim $2 back after a failed attempt, ready in $3 ms. */
export const requeueJob = statement(
  'requeue-job',
  `
WITH requeued AS (
  UPDATE jobs
  SET state = 'queued', claim = claim + 1, lease_until = NULL, progress_done = 0,
      ready_at = now() + $3::float8 * interval '1 millisecond'
  WHERE id = $1 AND claim = $2 AND state = 'processing'
  RETURNING id
), attempt AS (
  UPDATE job_attempts SET finished_at = now(), outcome = 'requeued'
  FROM requeued WHERE job_attempts.job_id = requeued.id AND job_attempts.finished_at IS NULL
)
SELECT id FROM requeued`,
);

/** Puts job $1 of claim $2 back as if it had not been claimed: it keeps its place in the queue, and the attempt does not count. */
export const handBackJob = statement(
  'hand-back-job',
  `
WITH returned AS (
  UPDATE jobs
  SET state = 'queued', claim = claim + 1, attempt = attempt - 1, lease_until = NULL, progress_done = 0,
      started_at = CASE WHEN attempt > 1 THEN started_at END
  WHERE id = $1 AND claim = $2 AND state = 'processing'
  RETURNING id
), attempt AS (
  UPDATE job_attempts SET finished_at = now(), outcome = 'handed_back'
  FROM returned WHERE job_attempts.job_id = returned.id AND job_attempts.finished_at IS NULL
)
SELECT id FROM returned`,
);
