import { type Statement, statement } from '../database/statement.js';
import { admittedJobs, itemsOf } from './admitted-jobs.sql.js';
import { admitting } from './admitting.sql.js';
import type { KeyMode } from './idempotency-record.js';
import { takeKey } from './take-key.sql.js';

/** As the admission of a job, for a batch $8 of time $9 with its jobs $3 and their inputs $4 (JSON, in the order of the items). */
function admitBatch(name: string, taken: string): Statement {
  return statement(
    name,
    `
WITH ${admitting({ apiKey: '$1', account: '$2', sources: '$5' })}, taken AS (
  ${taken}
), batch AS (
  INSERT INTO batches (id, account_id, items, open_items, created_at)
  SELECT $8::uuid, $2::uuid, json_array_length($3::json), json_array_length($3::json), $9::timestamptz FROM taken
), admitted AS (
  SELECT item.* FROM taken, ${itemsOf('$3')}
), ${admittedJobs({ inputs: '$4', topic: '$6', state: '$7' })}
SELECT EXISTS (SELECT FROM caller) AS is_authorized, (SELECT is_met FROM sources) AS is_awaitable,
       (SELECT json_object_agg(event_id, id::text) FROM command) AS outbox_ids`,
  );
}

const firstKeyParameter = 10;

/** A batch and its key live together: the record has no expiry until the batch ends. */
const work = { jobId: 'NULL::uuid', batchId: '$8::uuid', expiresAt: 'NULL::timestamptz' };

/** A batch without an idempotency key. */
export const admitKeylessBatch = admitBatch('admit-keyless-batch', 'SELECT caller_account FROM allowed');

/** A batch under a key. */
export const admitKeyedBatch: Readonly<Record<KeyMode, Statement>> = {
  insert: admitBatch('admit-keyed-batch', takeKey('insert', firstKeyParameter, work, 'allowed')),
  replace: admitBatch('admit-batch-under-expired-key', takeKey('replace', firstKeyParameter, work, 'allowed')),
};
