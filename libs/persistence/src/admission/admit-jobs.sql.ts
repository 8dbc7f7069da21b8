import { statement } from '../database/statement.js';
import { admittedJobs, itemsOf } from './admitted-jobs.sql.js';

/**
 * How long it waits for any lock: whoever has one for longer, of one key perhaps, is to be waited for by one request alone and not by all that
 * are admitted with it. Within a longer transaction it would stay until the end of that.
 */
const lockTimeout = '100ms';

/**
 * As the admission of a job, for jobs $1 of any accounts with their inputs $2 (JSON) and answers $5 (one behind the other): each is written or not by
 * its own API key and its own idempotency key, which is taken as by an insert; none awaits another job. Keys are taken in one order, so that two
 * such statements never wait for each other in a ring. An error undoes all of them. A row for each job says whether its API key was live, and which
 * outbox row was written.
 */
export const admitJobs = statement(
  'admit-jobs',
  `
WITH hurry AS (
  SELECT set_config('lock_timeout', '${lockTimeout}', true)
), item AS (
  SELECT * FROM ${itemsOf(
    '$1',
    `,
     api_key_id uuid, route text, fingerprint text, status smallint, location text, content_type text,
     answer_at integer, answer_bytes integer, is_sealed boolean`,
  )}
), allowed AS (
  SELECT item.* FROM hurry, item JOIN api_keys ON api_keys.id = item.api_key_id AND api_keys.revoked_at IS NULL
), taken AS (
  INSERT INTO idempotency_keys (account_id, route, key, fingerprint, status, location, content_type, body, is_sealed, job_id)
  SELECT account_id, route, idempotency_key, fingerprint, status, location, content_type, substring($5::bytea FROM answer_at FOR answer_bytes),
         is_sealed, id
  FROM allowed WHERE idempotency_key IS NOT NULL
  ORDER BY account_id, idempotency_key, route
  ON CONFLICT DO NOTHING
  RETURNING job_id
), admitted AS (
  SELECT allowed.* FROM allowed LEFT JOIN taken ON taken.job_id = allowed.id
  WHERE idempotency_key IS NULL OR taken.job_id IS NOT NULL
), ${admittedJobs({ inputs: '$2', topic: '$3', state: '$4' })}
SELECT item.id AS job_id, allowed.id IS NOT NULL AS is_authorized, true AS is_awaitable, command.id::text AS outbox_id
FROM item LEFT JOIN allowed USING (id) LEFT JOIN command ON command.event_id = item.event_id`,
);
