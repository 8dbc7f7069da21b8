import { statement } from '../database/statement.js';
import { rankOf } from './delivery-rank.sql.js';

const rank = rankOf('delivery');

/**
 * Takes at most $1 deliveries for $2 ms and logs an attempt of each.
 *
 * - `waiting`: endpoints that may have something due, by `due_endpoints`; the next 100 after $3 in the order of their ids. Disabled and deleted
 *   ones give nothing. A failing one gives one delivery at its `probe_at`, while it has none in flight.
 * - `allowed`: what the endpoint may have in flight less what it has: $4, or $5 if it is among those that answer quickly ($6).
 * - `candidate`: per endpoint the earliest due of each rank in turn, recovered ones behind all others. Of an endpoint's rows of one event
 *   only one is in flight, the oldest that is due (or is about to be, for another claim's clock may be ahead) going first.
 * - `due`: what is allowed, and of what has been due for more than a minute at most $7 in flight; and leases that ended in the first $8 attempts
 *   of a schedule; what is lost more often waits ({@link freeDeliveries}). `lane`: 0 first attempts at quick endpoints, 1 first attempts at others, 2 retries, probes
 *   and backlogs, whatever goes to slow endpoints ($9) or to those that are not well, 3 recovered ones.
 * - `chosen`: at most $10 of lanes 1 to 3, $11 of lanes 2 and 3, $12 of lane 3, one of each endpoint, then two, and so on.
 * - `probe`: the failing endpoints of these, each locked by one claim alone; the next probe waits for the end of this one's lease.
 * - `taken`: the locking step repeats the conditions of the row, because a concurrent claim may have changed it since the snapshot.
 *
 * Plans are kept for as long as a connection, so a plan that was made while the tables were empty must do for full ones: conditions that no index
 * should answer are written as `CASE`, and what must be looked up for each row as a subselect with a limit.
 */
export const claimDeliveries = statement(
  'claim-deliveries',
  `
WITH waiting AS MATERIALIZED (
  SELECT endpoint.id, endpoint.state, endpoint.id = ANY($6::uuid[]) AS is_quick,
         endpoint.id = ANY($9::uuid[]) AS is_slow, endpoint.state = 'healthy' AND endpoint.consecutive_failures = 0 AS is_well
  FROM due_endpoints
  CROSS JOIN LATERAL (
    SELECT id, state, consecutive_failures, probe_at, deleted_at FROM webhook_endpoints WHERE id = due_endpoints.endpoint_id LIMIT 1
  ) AS endpoint
  WHERE due_endpoints.due_at <= now() AND due_endpoints.endpoint_id > $3::uuid AND endpoint.deleted_at IS NULL
    AND (endpoint.state = 'healthy' OR (endpoint.state = 'failing' AND endpoint.probe_at <= now()))
  ORDER BY endpoint.id
  LIMIT 100
), seen AS (
  SELECT CASE count(*) WHEN 100 THEN (array_agg(id ORDER BY id DESC))[1] END AS resume_after FROM waiting
), roomy AS MATERIALIZED (
  SELECT waiting.*, flight.taken,
         CASE WHEN waiting.state = 'healthy' THEN greatest(CASE WHEN waiting.is_quick THEN $5::integer ELSE $4::integer END - flight.taken, 0)
              WHEN flight.taken = 0 THEN 1
              ELSE 0 END AS allowed
  FROM waiting CROSS JOIN LATERAL (
    SELECT count(*)::integer AS taken FROM deliveries WHERE endpoint_id = waiting.id AND state = 'delivering'
  ) AS flight
), candidate AS MATERIALIZED (
  SELECT roomy.id AS endpoint_id, roomy.state, roomy.is_quick, roomy.is_slow, roomy.is_well, roomy.taken, roomy.allowed, pick.*,
         row_number() OVER (PARTITION BY roomy.id ORDER BY pick.rank = 2, pick.place, pick.rank) AS turn
  FROM roomy
  CROSS JOIN (VALUES (0), (1), (2)) AS rank (n)
  CROSS JOIN LATERAL (
    SELECT earliest.id, earliest.due_at, rank.n AS rank, row_number() OVER (ORDER BY earliest.due_at) AS place
    FROM (
      SELECT delivery.id, delivery.next_attempt_at AS due_at
      FROM deliveries AS delivery
      WHERE delivery.endpoint_id = roomy.id AND delivery.state = 'pending' AND ${rank} = rank.n AND delivery.next_attempt_at <= now()
        AND NOT EXISTS (
          SELECT FROM deliveries AS other
          WHERE other.endpoint_id = roomy.id AND other.state = 'delivering' AND other.event_id = delivery.event_id
        )
        AND (delivery.redelivery_of IS NULL OR NOT EXISTS (
          SELECT FROM deliveries AS earlier
          WHERE earlier.event_id = delivery.event_id AND earlier.endpoint_id = roomy.id AND earlier.id < delivery.id
            AND CASE earlier.state WHEN 'pending' THEN earlier.next_attempt_at <= now() + interval '1 second' END
        ))
      ORDER BY delivery.next_attempt_at
      LIMIT least(roomy.allowed, $1::integer) + 1
    ) AS earliest
  ) AS pick
), due AS (
  SELECT candidate.id, candidate.endpoint_id, candidate.state = 'failing' AS is_probe, candidate.turn, candidate.due_at,
         CASE WHEN candidate.rank = 2 THEN 3
              WHEN candidate.rank = 1 OR candidate.is_slow OR NOT candidate.is_well OR is_late THEN 2
              WHEN candidate.is_quick THEN 0
              ELSE 1 END AS lane
  FROM candidate CROSS JOIN LATERAL (SELECT candidate.due_at < now() - interval '1 minute' AS is_late) AS wait
  WHERE candidate.turn <= candidate.allowed AND (NOT is_late OR candidate.turn + candidate.taken <= $7::integer)
  UNION ALL
  (SELECT delivery.id, delivery.endpoint_id, false, 0, delivery.lease_until, 2
   FROM deliveries AS delivery JOIN webhook_endpoints AS endpoint ON endpoint.id = delivery.endpoint_id
   WHERE delivery.state = 'delivering' AND delivery.lease_until <= now()
     AND delivery.attempt - delivery.uncounted <= least($8::integer, cardinality(endpoint.retry_schedule))
     AND endpoint.state = 'healthy' AND endpoint.deleted_at IS NULL
   ORDER BY delivery.lease_until
   LIMIT $1)
), chosen AS MATERIALIZED (
  SELECT id, endpoint_id, is_probe, turn, due_at, lane FROM (
    SELECT *, row_number() OVER (PARTITION BY lane >= 1 ORDER BY turn, due_at) AS n1 FROM (
      SELECT *, row_number() OVER (PARTITION BY lane >= 2 ORDER BY turn, due_at) AS n2 FROM (
        SELECT *, row_number() OVER (PARTITION BY lane = 3 ORDER BY turn, due_at) AS n3 FROM due
      ) AS each WHERE lane < 3 OR n3 <= $12
    ) AS each WHERE lane < 2 OR n2 <= $11
  ) AS each WHERE lane < 1 OR n1 <= $10
  ORDER BY turn, due_at
  LIMIT $1
), probe AS MATERIALIZED (
  SELECT id FROM webhook_endpoints
  WHERE id = ANY(ARRAY(SELECT endpoint_id FROM chosen WHERE is_probe)) AND state = 'failing' AND probe_at <= now()
  FOR NO KEY UPDATE SKIP LOCKED
), taken AS MATERIALIZED (
  SELECT delivery.id, chosen.lane, delivery.state = 'delivering' AS is_taken_over
  FROM chosen JOIN deliveries AS delivery ON delivery.id = chosen.id
  WHERE (NOT chosen.is_probe OR chosen.endpoint_id IN (SELECT id FROM probe))
    AND CASE delivery.state
      WHEN 'pending' THEN delivery.next_attempt_at <= now()
      WHEN 'delivering' THEN delivery.lease_until <= now()
    END
  FOR UPDATE OF delivery SKIP LOCKED
), claimed AS (
  UPDATE deliveries AS delivery
  SET state = 'delivering', claim = delivery.claim + 1, attempt = delivery.attempt + 1, next_attempt_at = NULL,
      lease_until = now() + $2::float8 * interval '1 millisecond'
  FROM taken WHERE delivery.id = taken.id
  RETURNING delivery.id, delivery.account_id, delivery.event_id, delivery.endpoint_id, delivery.claim, delivery.attempt,
            delivery.uncounted, delivery.redelivery_of, taken.lane, taken.is_taken_over
), attempt AS (
  INSERT INTO delivery_attempts (delivery_id, number, claim) SELECT id, attempt, claim FROM claimed
), probed AS (
  UPDATE webhook_endpoints SET probe_at = now() + $2::float8 * interval '1 millisecond'
  WHERE id = ANY(ARRAY(SELECT endpoint_id FROM claimed)) AND state = 'failing'
)
SELECT seen.resume_after, (SELECT count(*) FROM chosen) AS chosen,
       (SELECT count(*) FROM candidate) > (SELECT count(*) FROM chosen WHERE turn > 0) AS is_held_back,
       claimed.id, claimed.account_id, claimed.claim, claimed.attempt, claimed.uncounted, claimed.lane, claimed.is_taken_over,
       claimed.redelivery_of IS NOT NULL AS is_redelivery,
       claimed.event_id, event.type AS event_type, event.occurred_at, event.body,
       claimed.endpoint_id, endpoint.url, endpoint.sealed_headers, endpoint.retry_schedule,
       endpoint.state = 'failing' AS is_probe, endpoint.state = 'healthy' AND endpoint.consecutive_failures = 0 AS is_well,
       ARRAY(
         SELECT secret.sealed FROM endpoint_secrets AS secret
         WHERE secret.endpoint_id = endpoint.id AND (secret.expires_at IS NULL OR secret.expires_at > now())
         ORDER BY secret.created_at DESC, secret.id DESC
       ) AS sealed_secrets
FROM seen
LEFT JOIN (
  claimed
  JOIN events AS event ON event.id = claimed.event_id
  JOIN webhook_endpoints AS endpoint ON endpoint.id = claimed.endpoint_id
) ON true`,
);
