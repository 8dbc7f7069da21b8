import { type Statement, statement } from '../database/statement.js';
import { admitting } from './admitting.sql.js';
import type { KeyMode } from './idempotency-record.js';
import { takeKey } from './take-key.sql.js';

/**
 * One statement makes key, job, inputs and command true together, so there is nothing between them at which a process can die. Its row
 * says whether the API key was live, whether the awaited jobs had not ended, and which outbox row was written; none was when another request
 * has the idempotency key.
 */
function admitJob(name: string, taken: string): Statement {
  return statement(
    name,
    `
WITH ${admitting({ apiKey: '$1', account: '$3', sources: '$24' })}, taken AS (
  ${taken}
), job AS (
  INSERT INTO jobs (id, account_id, operation, options, metadata, idempotency_key, progress_total, progress_unit, created_at, awaits_inputs)
  SELECT $2::uuid, $3::uuid, $4, $5::jsonb, $6::jsonb, $7, $8::integer, $9, $10::timestamptz, $24::uuid[] <> '{}' FROM taken
  RETURNING id
), input AS (
  INSERT INTO job_inputs (job_id, index, name, media_type, size, sha256, object_id, source_job_id, source_output, url,
                          pages, sealed_password)
  SELECT job.id, entry.index - 1, entry.name, entry.media_type, entry.size, entry.sha256, entry.object_id, entry.source_job_id, entry.source_output,
         entry.url, entry.pages, entry.sealed_password
  FROM job, unnest($11::text[], $12::text[], $13::bigint[], $14::bytea[], $15::uuid[], $16::uuid[], $17::integer[], $25::text[],
                   $26::text[], $27::text[])
    WITH ORDINALITY AS entry (name, media_type, size, sha256, object_id, source_job_id, source_output, url, pages, sealed_password, index)
), command AS (
  INSERT INTO outbox (topic, key, event_id, type, body, occurred_at, state)
  SELECT $18, $19, $20::uuid, $21, $22, $10::timestamptz, $23 FROM job
  RETURNING id
)
SELECT EXISTS (SELECT FROM caller) AS is_authorized, (SELECT is_met FROM sources) AS is_awaitable,
       (SELECT id::text FROM command) AS outbox_id`,
  );
}

const firstKeyParameter = 28;

/** A job and its key live together: the record has no expiry until the job ends. */
const work = { jobId: '$2::uuid', batchId: 'NULL::uuid', expiresAt: 'NULL::timestamptz' };

/** A job without an idempotency key. */
export const admitKeylessJob = admitJob('admit-keyless-job', 'SELECT caller_account FROM allowed');

/** A job under a key. */
export const admitKeyedJob: Readonly<Record<KeyMode, Statement>> = {
  insert: admitJob('admit-keyed-job', takeKey('insert', firstKeyParameter, work, 'allowed')),
  replace: admitJob('admit-job-under-expired-key', takeKey('replace', firstKeyParameter, work, 'allowed')),
};
