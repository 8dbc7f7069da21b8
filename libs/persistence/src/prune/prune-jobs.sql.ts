import { statement } from '../database/statement.js';

/** Whether a job that has not ended names a job as an input. */
const hasDependents = `EXISTS (
    SELECT FROM job_inputs AS input JOIN jobs AS dependent ON dependent.id = input.job_id
    WHERE input.source_job_id = jobs.id AND dependent.state IN ('queued', 'processing')
  )`;

/** Locks at most $1 expired jobs that are in no batch and that no idempotency key names. */
export const lockExpiredJobs = statement(
  'lock-expired-jobs',
  `
SELECT id FROM jobs
WHERE expires_at <= now()
  AND NOT EXISTS (
    SELECT FROM idempotency_keys AS kept
    WHERE kept.account_id = jobs.account_id AND kept.key = jobs.idempotency_key AND kept.job_id = jobs.id
  )
  AND NOT ${hasDependents}
ORDER BY expires_at LIMIT $1
FOR UPDATE SKIP LOCKED`,
);

/** Deletes the locked jobs $1, but none that another job was given as an input before the lock. */
export const deleteJobs = statement(
  'delete-jobs',
  `DELETE FROM jobs WHERE id = ANY($1::uuid[]) AND NOT ${hasDependents} RETURNING 1`,
);

const batchHasDependents = `EXISTS (SELECT FROM jobs WHERE jobs.batch_id = batches.id AND ${hasDependents})`;

/** As {@link lockExpiredJobs}, for batches. */
export const lockExpiredBatches = statement(
  'lock-expired-batches',
  `
SELECT id FROM batches
WHERE expires_at <= now()
  AND NOT EXISTS (SELECT FROM idempotency_keys WHERE idempotency_keys.batch_id = batches.id)
  AND NOT ${batchHasDependents}
ORDER BY expires_at LIMIT $1
FOR UPDATE SKIP LOCKED`,
);

/** As {@link deleteJobs}, for batches, which take their jobs with them. */
export const deleteBatches = statement(
  'delete-batches',
  `DELETE FROM batches WHERE id = ANY($1::uuid[]) AND NOT ${batchHasDependents} RETURNING 1`,
);
