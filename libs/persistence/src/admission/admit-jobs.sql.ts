import { statement } from '../database/statement.js';

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
  SELECT * FROM json_to_recordset($1::json) AS item
    (api_key_id uuid, id uuid, account_id uuid, operation text, options jsonb, metadata jsonb, progress_total integer, progress_unit text,
     created_at timestamptz, outbox_key text, event_id uuid, type text, command text, route text, key text, fingerprint text,
     status smallint, location text, content_type text, answer_at integer, answer_bytes integer, is_sealed boolean)
), allowed AS (
  SELECT item.* FROM hurry, item JOIN api_keys ON api_keys.id = item.api_key_id AND api_keys.revoked_at IS NULL
), taken AS (
  INSERT INTO idempotency_keys (account_id, route, key, fingerprint, status, location, content_type, body, is_sealed, job_id)
  SELECT account_id, route, key, fingerprint, status, location, content_type, substring($5::bytea FROM answer_at FOR answer_bytes), is_sealed, id
  FROM allowed WHERE key IS NOT NULL
  ORDER BY account_id, key, route
  ON CONFLICT DO NOTHING
  RETURNING job_id
), admitted AS (
  SELECT allowed.* FROM allowed LEFT JOIN taken ON taken.job_id = allowed.id
  WHERE key IS NULL OR taken.job_id IS NOT NULL
), job AS (
  INSERT INTO jobs (id, account_id, operation, options, metadata, idempotency_key, progress_total, progress_unit, created_at)
  SELECT id, account_id, operation, options, metadata, key, progress_total, progress_unit, created_at FROM admitted
), input AS (
  INSERT INTO job_inputs (job_id, index, name, media_type, size, sha256, object_id, source_job_id, source_output, url,
                          pages, sealed_password)
  SELECT job_id, index, name, media_type, size, decode(sha256, 'hex'), object_id, source_job_id, source_output, url,
         pages, sealed_password
  FROM admitted JOIN json_to_recordset($2::json) AS entry
    (job_id uuid, index integer, name text, media_type text, size bigint, sha256 text, object_id uuid, source_job_id uuid, source_output integer,
     url text, pages text, sealed_password text) ON entry.job_id = admitted.id
), command AS (
  INSERT INTO outbox (topic, key, event_id, type, body, occurred_at, state)
  SELECT $3, outbox_key, event_id, type, command, created_at, $4 FROM admitted ORDER BY id
  RETURNING id, event_id
)
SELECT item.id AS job_id, allowed.id IS NOT NULL AS is_authorized, true AS is_awaitable, command.id::text AS outbox_id
FROM item LEFT JOIN allowed USING (id) LEFT JOIN command ON command.event_id = item.event_id`,
);
