import { statement } from '../database/statement.js';
import { jobColumns } from '../jobs/job-columns.sql.js';

/**
 * Ends job $1 under claim $2 in state $3 with all that an end means: its outputs ($9, JSON), the release of its inputs and of their passwords, the usage
 * record of a completed one, the end of its attempt, the expiry of its idempotency key; a job of a batch and its key expire with the batch.
 * $4 warnings, $5 error, $6 final total of the progress; lifetimes in ms: $7 of the job, $8 of outputs, $10 of the key; $11 the id of the key
 * that signs links. Without a row nothing has happened: the claim does not hold.
 */
export const settleJob = statement(
  'settle-job',
  `
WITH settled AS (
  UPDATE jobs
  SET state = $3, lease_until = NULL, finished_at = now(),
      expires_at = CASE WHEN batch_id IS NULL THEN now() + $7::float8 * interval '1 millisecond' END,
      warnings = $4::jsonb, error = $5::jsonb, progress_total = coalesce($6::integer, progress_total),
      progress_done = CASE $3 WHEN 'completed' THEN coalesce($6::integer, progress_total) ELSE progress_done END
  WHERE id = $1 AND claim = $2 AND state = 'processing'
  RETURNING *
), output AS (
  INSERT INTO job_outputs (job_id, index, name, media_type, size, sha256, pages, object_id, link_key_id, expires_at)
  SELECT settled.id, made.index, made.name, made.media_type, made.size, decode(made.sha256, 'hex'), made.pages, made.object_id,
         $11, settled.finished_at + $8::float8 * interval '1 millisecond'
  FROM settled
  CROSS JOIN jsonb_to_recordset($9::jsonb) AS made
    (index integer, name text, media_type text, size bigint, sha256 text, pages integer, object_id uuid)
  RETURNING index, name, media_type, size, sha256, pages, link_key_id, expires_at
), input AS (
  UPDATE job_inputs SET object_id = NULL, url = NULL, sealed_password = NULL FROM settled WHERE job_inputs.job_id = settled.id
  RETURNING job_inputs.index, job_inputs.name, media_type, size, sha256
), usage AS (
  INSERT INTO usage_records (job_id, account_id, operation, pages, input_bytes, output_bytes, completed_at)
  SELECT id, account_id, operation,
         (SELECT coalesce(sum(pages), 0) FROM output),
         (SELECT coalesce(sum(size), 0) FROM input),
         (SELECT coalesce(sum(size), 0) FROM output),
         finished_at
  FROM settled WHERE state = 'completed'
), attempt AS (
  UPDATE job_attempts SET finished_at = now(), outcome = settled.state
  FROM settled WHERE job_attempts.job_id = settled.id AND job_attempts.finished_at IS NULL
), key AS (
  UPDATE idempotency_keys AS kept SET expires_at = now() + $10::float8 * interval '1 millisecond'
  FROM settled
  WHERE kept.account_id = settled.account_id AND kept.key = settled.idempotency_key AND kept.job_id = settled.id
)
SELECT ${jobColumns('settled')}, settled.account_id, settled.expires_at,
  (
    SELECT coalesce(json_agg(json_build_object('name', name, 'mediaType', media_type, 'sizeBytes', size,
      'sha256', encode(sha256, 'hex')) ORDER BY index), '[]')
    FROM input
  ) AS inputs,
  (
    SELECT coalesce(json_agg(json_build_object('index', index, 'name', name, 'mediaType', media_type, 'sizeBytes', size,
      'sha256', encode(sha256, 'hex'), 'pages', pages, 'linkKeyId', link_key_id,
      'expiresAt', expires_at) ORDER BY index), '[]')
    FROM output
  ) AS outputs
FROM settled`,
);

/** Which claim a job has now, and its state: what 0 rows of a fenced write mean. */
export const readClaim = statement('read-claim', `SELECT claim, state FROM jobs WHERE id = $1`);
