import { type Statement, statement } from '../database/statement.js';
import { jobColumns } from '../jobs/job-columns.sql.js';

/**
 * Cancels the jobs of account $1 that fit and have not ended, with what an end means: the claim of a worker no longer holds, the inputs
 * and their passwords are released, the idempotency key gets its expiry ($4 ms). $3 lifetime of a job that is in no batch, in ms. One row for each that was
 * cancelled.
 */
function cancelJobs(name: string, fits: string): Statement {
  return statement(
    name,
    `
WITH open AS (
  SELECT id FROM jobs
  WHERE account_id = $1 AND ${fits} AND state IN ('queued', 'processing')
  ORDER BY id FOR NO KEY UPDATE
), cancelled AS (
  UPDATE jobs
  SET state = 'cancelled', claim = claim + 1, lease_until = NULL, awaits_inputs = false, finished_at = now(),
      expires_at = CASE WHEN batch_id IS NULL THEN now() + $3::float8 * interval '1 millisecond' END
  FROM open WHERE jobs.id = open.id
  RETURNING jobs.*
), input AS (
  UPDATE job_inputs SET object_id = NULL, url = NULL, sealed_password = NULL FROM cancelled WHERE job_inputs.job_id = cancelled.id
  RETURNING job_inputs.job_id, job_inputs.index, job_inputs.name, media_type, size, sha256
), key AS (
  UPDATE idempotency_keys AS kept SET expires_at = now() + $4::float8 * interval '1 millisecond'
  FROM cancelled
  WHERE kept.account_id = cancelled.account_id AND kept.key = cancelled.idempotency_key AND kept.job_id = cancelled.id
)
SELECT ${jobColumns('cancelled')}, cancelled.account_id, cancelled.expires_at, '[]'::json AS outputs,
  (
    SELECT coalesce(json_agg(json_build_object('name', name, 'mediaType', media_type, 'sizeBytes', size,
      'sha256', encode(sha256, 'hex')) ORDER BY index), '[]')
    FROM input WHERE input.job_id = cancelled.id
  ) AS inputs
FROM cancelled ORDER BY id`,
  );
}

/** Cancels job $2. */
export const cancelJob = cancelJobs('cancel-job', 'id = $2');

/** Cancels what is left of batch $2. */
export const cancelBatch = cancelJobs('cancel-batch', 'batch_id = $2');

/** Ends the attempts at the cancelled jobs $1; a statement of its own, so that it sees that of a claim for which the first one waited. */
export const endCancelledAttempts = statement(
  'end-cancelled-attempts',
  `UPDATE job_attempts SET finished_at = now(), outcome = 'cancelled' WHERE job_id = ANY($1::uuid[]) AND finished_at IS NULL`,
);
