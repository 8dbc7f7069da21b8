import { type Statement, statement } from '../database/statement.js';
import { selectsType } from './selects-type.sql.js';

/** @param receives which endpoints of the account get a delivery */
function record(name: string, receives: string): Statement {
  return statement(
    name,
    `
WITH event AS (
  INSERT INTO events (id, account_id, type, job_id, batch_id, endpoint_id, body, occurred_at, sequence)
  SELECT id, $2, type, job_id, batch_id, endpoint_id, body, occurred_at, sequence
  FROM jsonb_to_recordset($1::jsonb) AS event
    (id uuid, type text, job_id uuid, batch_id uuid, endpoint_id uuid, body text, occurred_at timestamptz, sequence bigint)
  RETURNING id, account_id, type, body, occurred_at
), delivery AS (
  INSERT INTO deliveries (id, account_id, event_id, endpoint_id, state, next_attempt_at, finished_at)
  SELECT new_uuid_v7(), event.account_id, event.id, endpoint.id,
         CASE endpoint.state WHEN 'disabled' THEN 'skipped' ELSE 'pending' END,
         CASE endpoint.state WHEN 'disabled' THEN NULL ELSE now() END,
         CASE endpoint.state WHEN 'disabled' THEN now() END
  FROM event JOIN webhook_endpoints AS endpoint ON endpoint.account_id = event.account_id
  WHERE endpoint.deleted_at IS NULL
    AND ${receives}
)
INSERT INTO outbox (topic, key, event_id, type, body, occurred_at, state)
SELECT $3, key.key, event.id, event.type, event.body, event.occurred_at, $4
FROM event JOIN jsonb_to_recordset($1::jsonb) AS key (id uuid, key text) ON key.id = event.id
ORDER BY event.id
RETURNING id::text, event_id`,
  );
}

/**
 * Writes the events $1 (JSON) of account $2, their outbox rows for topic $3 in state $4, and one delivery of each for each endpoint of the account
 * whose patterns select its type. Endpoints are those of this statement's snapshot: a delivery for a disabled one is born `skipped`, none is
 * born for a deleted one.
 */
export const recordEvents = record('record-events', selectsType('endpoint.event_types', 'event.type'));

/** As {@link recordEvents}, with deliveries for the endpoint $5 alone, whatever its patterns select. */
export const recordEventsForEndpoint = record('record-events-for-endpoint', 'endpoint.id = $5');
