import { statement } from '../database/statement.js';
import { selectsType } from '../events/selects-type.sql.js';

const recoveries = `
SELECT id, endpoint_id, since, until, states, state, events, rearmed, inserted, cursor_at, created_at, finished_at
FROM recoveries`;

/** Recovery $1 of endpoint $3; its first step begins at the earliest event of its time. */
export const insertRecovery = statement(
  'insert-recovery',
  `
INSERT INTO recoveries (id, account_id, endpoint_id, since, until, states, cursor_at, created_at)
VALUES ($1, $2, $3, $4, $5, $6, $4, $7)`,
);

export const findRecovery = statement(
  'find-recovery',
  `${recoveries} WHERE id = $3 AND endpoint_id = $2 AND account_id = $1`,
);

/** ANY and the order by endpoint, which say nothing new, keep the planner from walking the recoveries of all endpoints by the primary key. */
export const listRecoveries = statement(
  'list-recoveries',
  `${recoveries}
WHERE endpoint_id = ANY (ARRAY[$2::uuid]) AND account_id = $1
  AND id < coalesce($3::uuid, 'ffffffff-ffff-ffff-ffff-ffffffffffff')
ORDER BY endpoint_id, recoveries.id DESC
LIMIT $4`,
);

/** Waits for a step under way; the step after it finds nothing to do. */
export const cancelRecovery = statement(
  'cancel-recovery',
  `
UPDATE recoveries SET state = 'cancelled', finished_at = now()
WHERE id = $3 AND endpoint_id = $2 AND account_id = $1 AND state = 'running'
RETURNING id`,
);

/**
 * One step of the recovery that has waited longest: the next $1 events of its time, their deliveries, and its cursor, all or nothing. The row lock
 * is the lease, and it lasts as long as the transaction, which has no other statement: a process that dies leaves the cursor where it was, one that sleeps holds nothing.
 *
 * An event gives nothing when any delivery of it to the endpoint is delivered or open. Its skipped or exhausted one is made due again, with all its
 * attempts before it; where there is none and the endpoint's patterns select it now, one is inserted. A ping is of its moment and never sent again.
 * The lock on the events keeps the pruner, which deletes events without open deliveries, from those that get one here.
 *
 * OFFSET 0, which says nothing new, has each event's deliveries looked up by index: the planner, which knows no $1, might join all there are.
 *
 * Two recoveries of one endpoint may meet at the same events: they lock and insert in one order.
 *
 * While $2 recovered deliveries of the endpoint are due, the step only waits. It begins when everything has ended that was being written when
 * the recovery was asked for, and ends it early when its endpoint is disabled or deleted.
 */
export const stepRecovery = statement(
  'step-recovery',
  `
WITH taken AS MATERIALIZED (
  SELECT id, account_id, endpoint_id, until, states, cursor_at, cursor_id
  FROM recoveries
  WHERE state = 'running' AND next_step_at <= now() AND transaction_id < pg_snapshot_xmin(pg_current_snapshot())
  ORDER BY next_step_at LIMIT 1
  FOR UPDATE SKIP LOCKED
), endpoint AS MATERIALIZED (
  SELECT endpoint.id, endpoint.event_types, endpoint.state = 'disabled' OR endpoint.deleted_at IS NOT NULL AS is_closed,
         (SELECT count(*) FROM (
            SELECT FROM deliveries
            WHERE endpoint_id = endpoint.id AND state = 'pending' AND is_recovered AND next_attempt_at <= now()
            LIMIT $2
          ) AS waiting) >= $2 AS is_full
  FROM taken JOIN webhook_endpoints AS endpoint ON endpoint.id = taken.endpoint_id
), page AS MATERIALIZED (
  SELECT event.id, event.type, event.endpoint_id, event.occurred_at
  FROM taken
  JOIN endpoint ON NOT endpoint.is_closed AND NOT endpoint.is_full
  CROSS JOIN LATERAL (
    SELECT id, type, endpoint_id, occurred_at FROM events
    WHERE account_id = taken.account_id AND (occurred_at, id) > (taken.cursor_at, taken.cursor_id)
      AND occurred_at < coalesce(taken.until, 'infinity')
    ORDER BY occurred_at, id LIMIT $1
    FOR KEY SHARE
  ) AS event
), wanted AS MATERIALIZED (
  SELECT page.id, page.type, page.endpoint_id
  FROM page CROSS JOIN taken
  WHERE page.type <> 'webhook.ping'
    AND NOT EXISTS (
      SELECT FROM deliveries
      WHERE deliveries.event_id = page.id AND deliveries.endpoint_id = taken.endpoint_id
        AND deliveries.state IN ('pending', 'delivering', 'delivered')
      OFFSET 0
    )
), ended AS MATERIALIZED (
  SELECT delivery.id
  FROM wanted CROSS JOIN taken
  JOIN deliveries AS delivery ON delivery.event_id = wanted.id AND delivery.endpoint_id = taken.endpoint_id
  WHERE delivery.redelivery_of IS NULL AND delivery.state = ANY (taken.states)
  ORDER BY delivery.event_id
  FOR NO KEY UPDATE OF delivery
), rearmed AS (
  UPDATE deliveries AS delivery
  SET state = 'pending', next_attempt_at = now(), finished_at = NULL, is_recovered = true, claim = delivery.claim + 1,
      uncounted = delivery.attempt
  FROM ended WHERE delivery.id = ended.id
  RETURNING delivery.id
), inserted AS (
  INSERT INTO deliveries (id, account_id, event_id, endpoint_id, state, next_attempt_at, is_recovered)
  SELECT new_uuid_v7(), taken.account_id, wanted.id, taken.endpoint_id, 'pending', now(), true
  FROM wanted CROSS JOIN taken CROSS JOIN endpoint
  WHERE 'missing' = ANY (taken.states) AND wanted.endpoint_id IS DISTINCT FROM taken.endpoint_id
    AND ${selectsType('endpoint.event_types', 'wanted.type')}
    AND NOT EXISTS (
      SELECT FROM deliveries
      WHERE deliveries.event_id = wanted.id AND deliveries.endpoint_id = taken.endpoint_id
      OFFSET 0
    )
  ORDER BY wanted.id
  ON CONFLICT (event_id, endpoint_id) WHERE redelivery_of IS NULL DO NOTHING
  RETURNING id
), step AS (
  SELECT (SELECT count(*) FROM page) AS events, (SELECT count(*) FROM rearmed) AS rearmed, (SELECT count(*) FROM inserted) AS inserted,
         CASE WHEN endpoint.is_closed THEN 'cancelled' WHEN endpoint.is_full THEN 'running'
              WHEN (SELECT count(*) FROM page) < $1 THEN 'completed' ELSE 'running' END AS state,
         endpoint.is_full AND NOT endpoint.is_closed AS is_waiting
  FROM endpoint
), last AS (
  SELECT occurred_at, id FROM page ORDER BY occurred_at DESC, id DESC LIMIT 1
)
UPDATE recoveries AS recovery
SET cursor_at = coalesce(last.occurred_at, recovery.cursor_at), cursor_id = coalesce(last.id, recovery.cursor_id),
    events = recovery.events + step.events, rearmed = recovery.rearmed + step.rearmed, inserted = recovery.inserted + step.inserted,
    state = step.state, finished_at = CASE WHEN step.state <> 'running' THEN now() END,
    next_step_at = CASE WHEN step.is_waiting THEN now() + interval '1 second' ELSE now() END
FROM taken CROSS JOIN step LEFT JOIN last ON true
WHERE recovery.id = taken.id
RETURNING recovery.id, recovery.account_id, recovery.endpoint_id, recovery.state, step.is_waiting, step.events, step.rearmed, step.inserted`,
);
