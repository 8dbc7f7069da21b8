import { statement } from '../database/statement.js';
import { rankOf } from './delivery-rank.sql.js';

/**
 * Writes the ends of attempts, each under the claim it was made under, and what comes next. The columns of the ends are arrays: $1 delivery, $2
 * claim, $3 state, $4 ms from now if that is pending, $5 1 for an attempt that the schedule does not count, $6 outcome, $7 duration, $8 status, $9 answer.
 * Gives those that were written, with the health of their endpoints.
 */
export const settleDeliveries = statement(
  'settle-deliveries',
  `
WITH ended AS (
  SELECT * FROM unnest($1::uuid[], $2::integer[], $3::text[], $4::float8[], $5::integer[], $6::text[], $7::integer[], $8::smallint[], $9::text[])
    AS ended (id, claim, state, delay_ms, uncounted, outcome, duration_ms, status_code, response_body)
), settled AS (
  UPDATE deliveries AS delivery
  SET state = ended.state, lease_until = NULL, uncounted = delivery.uncounted + ended.uncounted,
      next_attempt_at = CASE ended.state WHEN 'pending' THEN now() + ended.delay_ms * interval '1 millisecond' END,
      finished_at = CASE ended.state WHEN 'pending' THEN NULL ELSE now() END
  FROM ended
  WHERE delivery.id = ended.id AND delivery.claim = ended.claim AND delivery.state = 'delivering'
  RETURNING delivery.id, delivery.attempt, delivery.endpoint_id, ended.outcome, ended.duration_ms, ended.status_code, ended.response_body
), logged AS (
  UPDATE delivery_attempts AS attempt
  SET outcome = settled.outcome, duration_ms = settled.duration_ms, status_code = settled.status_code, response_body = settled.response_body
  FROM settled
  WHERE attempt.delivery_id = settled.id AND attempt.number = settled.attempt
)
SELECT settled.id, endpoint.state = 'healthy' AND endpoint.consecutive_failures = 0 AS is_well
FROM settled JOIN webhook_endpoints AS endpoint ON endpoint.id = settled.endpoint_id`,
);

/** Under which claims deliveries are now, with the health of their endpoints. */
export const readDeliveryClaims = statement(
  'read-delivery-claims',
  `
SELECT delivery.id, delivery.claim, delivery.state, endpoint.state = 'healthy' AND endpoint.consecutive_failures = 0 AS is_well
FROM deliveries AS delivery JOIN webhook_endpoints AS endpoint ON endpoint.id = delivery.endpoint_id
WHERE delivery.id = ANY($1::uuid[])`,
);

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

/**
 * Frees at most $1 rows whose sender was never heard of again. At a failing endpoint they are parked, and the lost attempt costs nothing of the
 * schedule. Else the first $3 attempts of a schedule are another claim's at once when they are lost; any later one is followed by a wait, the first
 * of the schedule ($2, in seconds, where the endpoint has none), then the second, for it may be the delivery that its senders die of; and the
 * last one ends the delivery.
 */
export const freeDeliveries = statement(
  'free-deliveries',
  `
WITH lost AS MATERIALIZED (
  SELECT delivery.id, endpoint.state = 'failing' AS is_parked,
         CASE WHEN endpoint.state = 'failing' THEN 0
              WHEN delivery.attempt - delivery.uncounted <= cardinality(schedule.seconds)
                THEN schedule.seconds[greatest(delivery.attempt - delivery.uncounted - $3, 1)] END AS wait_seconds
  FROM deliveries AS delivery JOIN webhook_endpoints AS endpoint ON endpoint.id = delivery.endpoint_id
  CROSS JOIN LATERAL (SELECT coalesce(endpoint.retry_schedule, $2::integer[]) AS seconds) AS schedule
  WHERE delivery.state = 'delivering' AND delivery.lease_until <= now() AND endpoint.deleted_at IS NULL
    AND (endpoint.state = 'failing' OR (endpoint.state = 'healthy' AND delivery.attempt - delivery.uncounted > least($3, cardinality(schedule.seconds))))
  LIMIT $1
  FOR UPDATE OF delivery SKIP LOCKED
)
UPDATE deliveries AS delivery
SET state = CASE WHEN lost.wait_seconds IS NULL THEN 'exhausted' ELSE 'pending' END, claim = delivery.claim + 1, lease_until = NULL,
    uncounted = delivery.uncounted + lost.is_parked::integer, next_attempt_at = now() + make_interval(secs => lost.wait_seconds),
    finished_at = CASE WHEN lost.wait_seconds IS NULL THEN now() END
FROM lost WHERE delivery.id = lost.id
RETURNING delivery.state`,
);

/** Endpoints, at most $1, that seem to have nothing more that is due; nobody makes anything due for them while they are locked. */
export const lockIdleEndpoints = statement(
  'lock-idle-endpoints',
  `
SELECT due.endpoint_id
FROM due_endpoints AS due JOIN webhook_endpoints AS endpoint ON endpoint.id = due.endpoint_id
WHERE due.due_at <= now() - interval '1 second'
  AND (endpoint.state = 'disabled' OR endpoint.deleted_at IS NOT NULL OR endpoint.probe_at > now() OR (
    SELECT id FROM deliveries
    WHERE endpoint_id = endpoint.id AND deliveries.state = 'pending' AND next_attempt_at <= now()
      AND ${rankOf('deliveries')} = ANY(ARRAY[0, 1, 2])
    LIMIT 1
  ) IS NULL)
LIMIT $1
FOR UPDATE OF due SKIP LOCKED`,
);

/** Lets endpoints rest until the endpoint's earliest delivery is due and it may be called. A statement of its own, so that its snapshot is younger than the locks. */
export const restEndpoints = statement(
  'rest-endpoints',
  `
UPDATE due_endpoints AS due
SET due_at = CASE WHEN endpoint.state = 'disabled' OR endpoint.deleted_at IS NOT NULL THEN 'infinity'
                  ELSE greatest(coalesce(earliest.due_at, 'infinity'), endpoint.probe_at) END
FROM webhook_endpoints AS endpoint
CROSS JOIN LATERAL (
  SELECT min(each.due_at) AS due_at
  FROM (VALUES (0), (1), (2)) AS rank (n)
  CROSS JOIN LATERAL (
    SELECT min(next_attempt_at) AS due_at FROM deliveries
    WHERE endpoint_id = endpoint.id AND state = 'pending' AND ${rankOf('deliveries')} = rank.n
  ) AS each
) AS earliest
WHERE due.endpoint_id = ANY($1::uuid[]) AND endpoint.id = due.endpoint_id
RETURNING due.endpoint_id`,
);
