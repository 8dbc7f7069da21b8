import type { Stage } from './stage.js';

const count = 'SELECT count(*)::integer AS rows FROM deliveries WHERE endpoint_id = $1';

/** Each delivery is of an event of its own. */
const insert = `
WITH made AS (
  INSERT INTO events (id, account_id, type, body, occurred_at)
  SELECT new_uuid_v7(), endpoint.account_id, 'job.cancelled', '{"id":"owed","data":{"isMeasured":false}}', now() - interval '1 hour'
  FROM webhook_endpoints AS endpoint, generate_series(1, $2) WHERE endpoint.id = $1
  RETURNING id, account_id
)
INSERT INTO deliveries (id, account_id, event_id, endpoint_id, state, next_attempt_at)
SELECT new_uuid_v7(), account_id, id, $1, 'pending', now() - interval '1 hour' FROM made`;

const renew = `
WITH renewed AS (
  UPDATE deliveries SET state = 'pending', attempt = 0, next_attempt_at = now() - interval '1 hour', lease_until = NULL, finished_at = NULL
  WHERE endpoint_id = $1 AND state <> 'pending'
  RETURNING id
)
DELETE FROM delivery_attempts WHERE delivery_id IN (SELECT id FROM renewed)`;

/** Makes so many deliveries of an endpoint due, as they are when it was away for long. The planner's statistics know them. */
export async function fillBacklog(stage: Stage, endpointId: string, rows: number): Promise<void> {
  const [known] = await stage.query<{ rows: number }>(count, [endpointId]);
  if (known?.rows === 0) await stage.query(insert, [endpointId, rows]);
  else await stage.query(renew, [endpointId]);
  await stage.query('VACUUM (ANALYZE) deliveries');
}
