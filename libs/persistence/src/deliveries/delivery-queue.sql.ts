import { statement } from '../database/statement.js';

/**
 * Takes at most $1 deliveries for $2 ms and logs an attempt of each. Goes round the endpoints that have pending rows (`lane` hops from one to
 * the next on the index), the earliest due first within one, never more than $3 (20 at most) in flight at one endpoint; leases that
 * ended come first unless $4 attempts were made. Disabled and deleted endpoints give nothing. Of one endpoint's rows of one event only one is in
 * flight, the oldest that is due (or is about to be, for another claim's clock may be ahead) going first. The locking step repeats the conditions of
 * the row, because a concurrent claim may have changed it since the snapshot; rows that others lock are left out before the limit.
 */
export const claimDeliveries = statement(
  'claim-deliveries',
  `
WITH RECURSIVE lane (endpoint_id) AS (
  (SELECT endpoint_id FROM deliveries WHERE state = 'pending' ORDER BY endpoint_id LIMIT 1)
  UNION ALL
  SELECT (
    SELECT next.endpoint_id FROM deliveries AS next
    WHERE next.state = 'pending' AND next.endpoint_id > lane.endpoint_id ORDER BY next.endpoint_id LIMIT 1
  )
  FROM lane WHERE lane.endpoint_id IS NOT NULL
), due AS MATERIALIZED (
  SELECT pick.id, pick.turn, pick.due_at
  FROM lane
  JOIN webhook_endpoints AS endpoint ON endpoint.id = lane.endpoint_id
  CROSS JOIN LATERAL (
    SELECT count(*) AS taken FROM deliveries WHERE endpoint_id = endpoint.id AND state = 'delivering'
  ) AS flight
  CROSS JOIN LATERAL (
    SELECT earliest.id, earliest.due_at, row_number() OVER (ORDER BY earliest.due_at) AS turn
    FROM (
      SELECT delivery.id, delivery.next_attempt_at AS due_at
      FROM deliveries AS delivery
      WHERE delivery.endpoint_id = endpoint.id AND delivery.state = 'pending' AND delivery.next_attempt_at <= now()
        AND NOT EXISTS (
          SELECT FROM deliveries AS other
          WHERE other.endpoint_id = endpoint.id AND other.state = 'delivering' AND other.event_id = delivery.event_id
        )
        AND (delivery.redelivery_of IS NULL OR NOT EXISTS (
          SELECT FROM deliveries AS earlier
          WHERE earlier.endpoint_id = endpoint.id AND earlier.state = 'pending' AND earlier.event_id = delivery.event_id
            AND earlier.id < delivery.id AND earlier.next_attempt_at <= now() + interval '1 second'
        ))
      ORDER BY delivery.next_attempt_at
      LIMIT 20
    ) AS earliest
    LIMIT greatest($3::bigint - flight.taken, 0)
  ) AS pick
  WHERE endpoint.state <> 'disabled' AND endpoint.deleted_at IS NULL
  UNION ALL
  SELECT delivery.id, 0, delivery.lease_until
  FROM deliveries AS delivery JOIN webhook_endpoints AS endpoint ON endpoint.id = delivery.endpoint_id
  WHERE delivery.state = 'delivering' AND delivery.lease_until <= now() AND delivery.attempt < $4
    AND endpoint.state <> 'disabled' AND endpoint.deleted_at IS NULL
), taken AS MATERIALIZED (
  SELECT delivery.id
  FROM due JOIN deliveries AS delivery ON delivery.id = due.id
  WHERE (delivery.state = 'pending' AND delivery.next_attempt_at <= now())
     OR (delivery.state = 'delivering' AND delivery.lease_until <= now())
  ORDER BY due.turn, due.due_at
  LIMIT $1
  FOR UPDATE OF delivery SKIP LOCKED
), claimed AS (
  UPDATE deliveries AS delivery
  SET state = 'delivering', claim = delivery.claim + 1, attempt = delivery.attempt + 1, next_attempt_at = NULL,
      lease_until = now() + $2::float8 * interval '1 millisecond'
  FROM taken WHERE delivery.id = taken.id
  RETURNING delivery.id, delivery.account_id, delivery.event_id, delivery.endpoint_id, delivery.claim, delivery.attempt
), attempt AS (
  INSERT INTO delivery_attempts (delivery_id, number, claim) SELECT id, attempt, claim FROM claimed
)
SELECT claimed.id, claimed.account_id, claimed.claim, claimed.attempt, claimed.event_id, event.type AS event_type, event.body,
       claimed.endpoint_id, endpoint.url, endpoint.sealed_headers,
       ARRAY(
         SELECT secret.sealed FROM endpoint_secrets AS secret
         WHERE secret.endpoint_id = endpoint.id AND (secret.expires_at IS NULL OR secret.expires_at > now())
         ORDER BY secret.created_at DESC, secret.id DESC
       ) AS sealed_secrets
FROM claimed
JOIN events AS event ON event.id = claimed.event_id
JOIN webhook_endpoints AS endpoint ON endpoint.id = claimed.endpoint_id`,
);

/** Writes the end of an attempt ($1, $2 name the claim it was made under) and what comes next: $3 state, $4 ms from now if that is pending. */
export const settleDelivery = statement(
  'settle-delivery',
  `
WITH settled AS (
  UPDATE deliveries
  SET state = $3, lease_until = NULL,
      next_attempt_at = CASE $3 WHEN 'pending' THEN now() + $4::float8 * interval '1 millisecond' END,
      finished_at = CASE $3 WHEN 'pending' THEN NULL ELSE now() END
  WHERE id = $1 AND claim = $2 AND state = 'delivering'
  RETURNING id, attempt
)
UPDATE delivery_attempts AS attempt
SET outcome = $5, duration_ms = $6, status_code = $7, response_body = $8
FROM settled
WHERE attempt.delivery_id = settled.id AND attempt.number = settled.attempt
RETURNING attempt.number`,
);

/** Under which claim a delivery is now. */
export const readDeliveryClaim = statement('read-delivery-claim', 'SELECT claim, state FROM deliveries WHERE id = $1');

/** Ends at most $1 rows of endpoints that are deleted or disabled, those whose sender died included. */
export const closeDeliveries = statement(
  'close-deliveries',
  `
WITH closed AS MATERIALIZED (
  SELECT delivery.id, CASE WHEN endpoint.deleted_at IS NULL THEN 'skipped' ELSE 'cancelled' END AS state
  FROM deliveries AS delivery JOIN webhook_endpoints AS endpoint ON endpoint.id = delivery.endpoint_id
  WHERE (endpoint.deleted_at IS NOT NULL OR endpoint.state = 'disabled')
    AND (delivery.state = 'pending' OR (delivery.state = 'delivering' AND delivery.lease_until <= now()))
  LIMIT $1
  FOR UPDATE OF delivery SKIP LOCKED
)
UPDATE deliveries AS delivery
SET state = closed.state, claim = delivery.claim + 1, next_attempt_at = NULL, lease_until = NULL, finished_at = now()
FROM closed WHERE delivery.id = closed.id
RETURNING closed.state`,
);

/** Ends at most $1 rows whose last attempt ($2 of them) was never heard of again. */
export const exhaustDeliveries = statement(
  'exhaust-deliveries',
  `
WITH lost AS MATERIALIZED (
  SELECT id FROM deliveries
  WHERE state = 'delivering' AND lease_until <= now() AND attempt >= $2
  LIMIT $1
  FOR UPDATE SKIP LOCKED
)
UPDATE deliveries AS delivery
SET state = 'exhausted', claim = delivery.claim + 1, lease_until = NULL, finished_at = now()
FROM lost WHERE delivery.id = lost.id
RETURNING delivery.state`,
);
