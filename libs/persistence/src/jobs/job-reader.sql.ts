import { statement } from '../database/statement.js';
import { jobColumns } from './job-columns.sql.js';

/** A job with its inputs and outputs, all of one snapshot. A job of a batch lives as long as the batch. */
const jobs = `
SELECT ${jobColumns('job')},
       CASE WHEN job.batch_id IS NULL THEN job.expires_at
            ELSE (SELECT expires_at FROM batches WHERE id = job.batch_id) END AS expires_at,
       (SELECT coalesce(json_agg(json_build_object(
                 'name', name, 'mediaType', media_type, 'sizeBytes', size, 'sha256', encode(sha256, 'hex')) ORDER BY index), '[]')
        FROM job_inputs WHERE job_id = job.id) AS inputs,
       (SELECT coalesce(json_agg(json_build_object(
                 'index', index, 'name', name, 'mediaType', media_type, 'sizeBytes', size, 'sha256', encode(sha256, 'hex'),
                 'pages', pages, 'expiresAt', expires_at, 'linkKeyId', link_key_id) ORDER BY index), '[]')
        FROM job_outputs WHERE job_id = job.id) AS outputs
FROM jobs AS job`;

/** ANY and the order by account, which say nothing new, keep the planner from walking the jobs of all accounts by the primary key. */
const onePage = `
WHERE job.account_id = ANY (ARRAY[$1::uuid])
  AND job.id < coalesce($2::uuid, 'ffffffff-ffff-ffff-ffff-ffffffffffff')
  AND ($3::text IS NULL OR job.state = $3)
  AND ($4::text IS NULL OR job.operation = $4)
  AND ($5::timestamptz IS NULL OR job.created_at >= $5)
  AND ($6::timestamptz IS NULL OR job.created_at < $6)`;

const newestFirst = 'ORDER BY job.account_id, job.id DESC LIMIT $7';

export const findJob = statement('find-job', `${jobs} WHERE job.id = $2 AND job.account_id = $1`);

export const listJobs = statement('list-jobs', `${jobs} ${onePage} ${newestFirst}`);

/**
 * A statement of its own, so that a prepared plan goes in by the key's indexes: a job that has ended is found by itself, one that has not by the
 * record of its key, which is kept for as long. The array keeps the planner from going through all jobs for the sake of large batches.
 */
export const listJobsOfKey = statement(
  'list-jobs-of-key',
  `
WITH kept AS (
  SELECT job_id, batch_id FROM idempotency_keys WHERE account_id = $1 AND key = $8
), made AS (
  SELECT id FROM jobs WHERE account_id = $1 AND idempotency_key = $8 AND finished_at IS NOT NULL
  UNION
  SELECT job_id FROM kept
  UNION
  SELECT jobs.id FROM kept JOIN jobs USING (batch_id)
)
${jobs} ${onePage} AND job.id = ANY (ARRAY(SELECT id FROM made)) ${newestFirst}`,
);

/** In the order of the items. ANY and the order by batch, which say nothing new, keep the planner off the primary key. */
export const listJobsOfBatch = statement(
  'list-jobs-of-batch',
  `${jobs}
WHERE job.batch_id = ANY (ARRAY[$2::uuid]) AND job.account_id = $1
  AND job.id > coalesce($3::uuid, '00000000-0000-0000-0000-000000000000')
  AND ($4::text IS NULL OR job.state = $4)
ORDER BY job.batch_id, job.id
LIMIT $5`,
);

/** Those of the jobs $1 and of the batches $2 that have ended, and of the deliveries $3 of which an attempt has, or that have ended without one. */
export const findEnded = statement(
  'find-ended',
  `
SELECT id FROM jobs WHERE id = ANY($1::uuid[]) AND state IN ('completed', 'failed', 'cancelled')
UNION ALL
SELECT id FROM batches WHERE id = ANY($2::uuid[]) AND finished_at IS NOT NULL
UNION ALL
SELECT id FROM deliveries AS delivery
WHERE id = ANY($3::uuid[]) AND (
  finished_at IS NOT NULL OR EXISTS (SELECT FROM delivery_attempts WHERE delivery_id = delivery.id AND duration_ms IS NOT NULL)
)`,
);

/** An output and its object's name, which is null from the output's expiry on. */
export const findOutput = statement(
  'find-output',
  `
SELECT job.account_id, CASE WHEN output.expires_at > now() THEN object.name END AS object_name, output.name, output.media_type,
       output.size, encode(output.sha256, 'hex') AS sha256, output.pages, output.expires_at, output.link_key_id
FROM job_outputs AS output
JOIN jobs AS job ON job.id = output.job_id
LEFT JOIN objects AS object ON object.id = output.object_id
WHERE output.job_id = $1 AND output.index = $2::bigint`,
);

/**
 * One row for each output that is asked for, in that order: the state is null unless the job is the account's, the rest unless the job has
 * such an output and it has not expired.
 */
export const findJobOutputs = statement(
  'find-job-outputs',
  `
SELECT job.state, output.object_id, output.name, output.media_type, output.size, encode(output.sha256, 'hex') AS sha256
FROM unnest($2::uuid[], $3::bigint[]) WITH ORDINALITY AS wanted (job_id, index, position)
LEFT JOIN jobs AS job ON job.id = wanted.job_id AND job.account_id = $1
LEFT JOIN job_outputs AS output
  ON output.job_id = job.id AND output.index = wanted.index AND output.object_id IS NOT NULL AND output.expires_at > now()
ORDER BY wanted.position`,
);
