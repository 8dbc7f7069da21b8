import { statement } from '../database/statement.js';
import { rankOf } from './delivery-rank.sql.js';

/**
 * What waits. Looks at 1 000 endpoints at most, and counts 100 000 parked rows at most, so that its cost does not grow with them. Times in seconds, 0 where
 * nothing waits.
 */
export const readDeliveryBacklog = statement(
  'read-delivery-backlog',
  `
WITH lag AS (
  SELECT rank.n AS rank, extract(epoch FROM now() - min(earliest.due_at))::float8 AS seconds
  FROM (
    SELECT endpoint.id
    FROM due_endpoints AS due JOIN webhook_endpoints AS endpoint ON endpoint.id = due.endpoint_id
    WHERE due.due_at <= now() AND endpoint.state = 'healthy' AND endpoint.deleted_at IS NULL
    LIMIT 1000
  ) AS endpoint
  CROSS JOIN (VALUES (0), (1), (2)) AS rank (n)
  CROSS JOIN LATERAL (
    SELECT min(next_attempt_at) AS due_at FROM deliveries
    WHERE endpoint_id = endpoint.id AND state = 'pending' AND next_attempt_at <= now()
      AND ${rankOf('deliveries')} = rank.n
  ) AS earliest
  GROUP BY rank.n
), failing AS (
  SELECT id FROM webhook_endpoints WHERE state = 'failing' AND deleted_at IS NULL
), parked AS (
  SELECT FROM failing JOIN deliveries ON endpoint_id = failing.id AND deliveries.state = 'pending' LIMIT 100000
)
SELECT coalesce((SELECT seconds FROM lag WHERE rank = 0), 0) AS first_lag_seconds,
       coalesce((SELECT seconds FROM lag WHERE rank = 1), 0) AS retry_lag_seconds,
       coalesce((SELECT seconds FROM lag WHERE rank = 2), 0) AS recovered_lag_seconds,
       (SELECT count(*) FROM failing) AS failing_endpoints,
       (SELECT count(*) FROM parked) AS parked,
       coalesce((SELECT extract(epoch FROM now() - min(created_at))::float8 FROM deliveries WHERE state IN ('pending', 'delivering')), 0)
         AS oldest_seconds`,
);
