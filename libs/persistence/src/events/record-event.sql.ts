import { statement } from '../database/statement.js';

/**
 * Writes an event, its outbox row and one delivery for each endpoint of the account whose patterns select its type. Endpoints are those of
 * this statement's snapshot: a delivery for a disabled one is born `skipped`, none is born for a deleted one.
 */
export const recordEvent = statement(
  'record-event',
  `
WITH event AS (
  INSERT INTO events (id, account_id, type, job_id, batch_id, endpoint_id, body, occurred_at, sequence)
  VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $12)
  RETURNING id, account_id, type, body, occurred_at
), delivery AS (
  INSERT INTO deliveries (id, account_id, event_id, endpoint_id, state, next_attempt_at, finished_at)
  SELECT new_uuid_v7(), event.account_id, event.id, endpoint.id,
         CASE endpoint.state WHEN 'disabled' THEN 'skipped' ELSE 'pending' END,
         CASE endpoint.state WHEN 'disabled' THEN NULL ELSE now() END,
         CASE endpoint.state WHEN 'disabled' THEN now() END
  FROM event JOIN webhook_endpoints AS endpoint ON endpoint.account_id = event.account_id
  WHERE endpoint.deleted_at IS NULL
    AND EXISTS (
      SELECT FROM unnest(endpoint.event_types) AS pattern
      WHERE pattern IN ('*', event.type) OR (right(pattern, 2) = '.*' AND starts_with(event.type, left(pattern, -1)))
    )
)
INSERT INTO outbox (topic, key, event_id, type, body, occurred_at, state)
SELECT $9, $10, id, type, body, occurred_at, $11 FROM event
RETURNING id::text`,
);
