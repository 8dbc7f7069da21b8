import { statement } from '../database/statement.js';

/**
 * Takes jobs with a lapsed lease from their workers. One with attempts left (fewer than $1 made) is queued again, ready in $2[attempt] ms;
 * one without stays `processing` under a new claim and a lease of $3 ms, for the caller to settle.
 */
export const rescueJobs = statement(
  'rescue-jobs',
  `
WITH lost AS (
  SELECT id, attempt < $1::integer AS may_retry
  FROM jobs
  WHERE state = 'processing' AND lease_until < now()
  ORDER BY lease_until
  LIMIT 100
  FOR NO KEY UPDATE SKIP LOCKED
), ended AS (
  UPDATE job_attempts SET finished_at = now(), outcome = 'lost'
  FROM lost WHERE job_attempts.job_id = lost.id AND job_attempts.finished_at IS NULL
)
UPDATE jobs
SET claim = claim + 1,
    state = CASE WHEN may_retry THEN 'queued' ELSE 'processing' END,
    lease_until = CASE WHEN NOT may_retry THEN now() + $3::float8 * interval '1 millisecond' END,
    ready_at = CASE WHEN may_retry THEN now() + ($2::float8[])[greatest(attempt, 1)] * interval '1 millisecond' ELSE ready_at END,
    progress_done = CASE WHEN may_retry THEN 0 ELSE progress_done END
FROM lost WHERE jobs.id = lost.id
RETURNING jobs.id, claim, attempt, state`,
);
