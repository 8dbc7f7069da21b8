import { type Statement, statement } from '../database/statement.js';
import { admittedJobs, itemsOf } from './admitted-jobs.sql.js';
import { admitting } from './admitting.sql.js';
import type { KeyMode } from './idempotency-record.js';
import { takeKey } from './take-key.sql.js';

/**
 * One statement makes key, job, inputs and command true together, so there is nothing between them at which a process can die. The job $3 and its inputs
 * $4 are JSON rows. Its row says whether the API key was live, whether the awaited jobs had not ended, and which outbox row was written; none was
 * when another request has the idempotency key.
 */
function admitJob(name: string, taken: string): Statement {
  return statement(
    name,
    `
WITH ${admitting({ apiKey: '$1', account: '$2', sources: '$5' })}, taken AS (
  ${taken}
), admitted AS (
  SELECT item.* FROM taken, ${itemsOf('$3')}
), ${admittedJobs({ inputs: '$4', topic: '$6', state: '$7' })}
SELECT EXISTS (SELECT FROM caller) AS is_authorized, (SELECT is_met FROM sources) AS is_awaitable,
       (SELECT id::text FROM command) AS outbox_id`,
  );
}

const firstKeyParameter = 8;

/** A job and its key live together: the record has no expiry until the job ends. */
const work = { jobId: "($3::json #>> '{0,id}')::uuid", batchId: 'NULL::uuid', expiresAt: 'NULL::timestamptz' };

/** A job without an idempotency key. */
export const admitKeylessJob = admitJob('admit-keyless-job', 'SELECT caller_account FROM allowed');

/** A job under a key. */
export const admitKeyedJob: Readonly<Record<KeyMode, Statement>> = {
  insert: admitJob('admit-keyed-job', takeKey('insert', firstKeyParameter, work, 'allowed')),
  replace: admitJob('admit-job-under-expired-key', takeKey('replace', firstKeyParameter, work, 'allowed')),
};
