import { type Statement, statement } from '../database/statement.js';
import { admitting } from './admitting.sql.js';
import type { KeyMode } from './idempotency-record.js';
import { takeKey } from './take-key.sql.js';

/**
 * As the admission of a job, for a batch $2 with its jobs $6 and their inputs $7 (JSON, in the order of the items). Ids of jobs grow in
 * that order, so the outbox and the queue keep it.
 */
function admitBatch(name: string, taken: string): Statement {
  return statement(
    name,
    `
WITH ${admitting({ apiKey: '$1', account: '$3', sources: '$8' })}, taken AS (
  ${taken}
), batch AS (
  INSERT INTO batches (id, account_id, items, open_items, created_at)
  SELECT $2::uuid, $3::uuid, jsonb_array_length($6::jsonb), jsonb_array_length($6::jsonb), $5::timestamptz FROM taken
  RETURNING id
), item AS (
  SELECT * FROM jsonb_to_recordset($6::jsonb) AS item
    (id uuid, client_item_id text, operation text, options jsonb, metadata jsonb, progress_total integer, progress_unit text,
     awaits_inputs boolean, outbox_key text, event_id uuid, type text, command text)
), job AS (
  INSERT INTO jobs (id, account_id, operation, options, metadata, idempotency_key, batch_id, client_item_id,
                    progress_total, progress_unit, created_at, awaits_inputs)
  SELECT item.id, $3::uuid, operation, options, metadata, $4, batch.id, client_item_id,
         progress_total, progress_unit, $5::timestamptz, awaits_inputs
  FROM batch, item
), input AS (
  INSERT INTO job_inputs (job_id, index, name, media_type, size, sha256, object_id, source_job_id, source_output, url,
                          pages, sealed_password)
  SELECT job_id, index, name, media_type, size, decode(sha256, 'hex'), object_id, source_job_id, source_output, url,
         pages, sealed_password
  FROM batch, jsonb_to_recordset($7::jsonb) AS entry
    (job_id uuid, index integer, name text, media_type text, size bigint, sha256 text, object_id uuid, source_job_id uuid, source_output integer,
     url text, pages text, sealed_password text)
), command AS (
  INSERT INTO outbox (topic, key, event_id, type, body, occurred_at, state)
  SELECT $9, outbox_key, event_id, type, item.command, $5::timestamptz, $10 FROM batch, item ORDER BY item.id
  RETURNING id, event_id
)
SELECT EXISTS (SELECT FROM caller) AS is_authorized, (SELECT is_met FROM sources) AS is_awaitable,
       (SELECT json_object_agg(event_id, id::text) FROM command) AS outbox_ids`,
  );
}

const firstKeyParameter = 11;

/** A batch and its key live together: the record has no expiry until the batch ends. */
const work = { jobId: 'NULL::uuid', batchId: '$2::uuid', expiresAt: 'NULL::timestamptz' };

/** A batch without an idempotency key. */
export const admitKeylessBatch = admitBatch('admit-keyless-batch', 'SELECT caller_account FROM allowed');

/** A batch under a key. */
export const admitKeyedBatch: Readonly<Record<KeyMode, Statement>> = {
  insert: admitBatch('admit-keyed-batch', takeKey('insert', firstKeyParameter, work, 'allowed')),
  replace: admitBatch('admit-batch-under-expired-key', takeKey('replace', firstKeyParameter, work, 'allowed')),
};
