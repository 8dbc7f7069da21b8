import { statement } from '../database/statement.js';

/** Locks endpoints, in one order for all, so that their changes follow each other; `now` is read under the lock. A deleted one has no health any more. */
export const lockEndpointHealth = statement(
  'lock-endpoint-health',
  `
SELECT id, account_id, url, state, consecutive_failures, first_failure_at, probes, probe_at, disabled_reason, sequence,
       clock_timestamp()::timestamptz(3) AS now
FROM webhook_endpoints
WHERE id = ANY($1::uuid[]) AND deleted_at IS NULL
ORDER BY id
FOR NO KEY UPDATE`,
);

/** Writes the health of endpoints that are locked. The columns are arrays: $1 endpoint, then its health, and $8 1 for a change of state; $9 is now. */
export const writeEndpointHealth = statement(
  'write-endpoint-health',
  `
UPDATE webhook_endpoints AS endpoint
SET state = health.state, consecutive_failures = health.consecutive_failures, first_failure_at = health.first_failure_at,
    failing_since = CASE WHEN health.state <> 'healthy' THEN health.first_failure_at END,
    probes = health.probes, probe_at = health.probe_at, disabled_reason = health.disabled_reason,
    disabled_at = CASE WHEN health.state = 'disabled' THEN coalesce(endpoint.disabled_at, $9) END,
    sequence = endpoint.sequence + health.changes
FROM unnest($1::uuid[], $2::text[], $3::integer[], $4::timestamptz[], $5::integer[], $6::timestamptz[], $7::text[], $8::integer[])
  AS health (id, state, consecutive_failures, first_failure_at, probes, probe_at, disabled_reason, changes)
WHERE endpoint.id = health.id
RETURNING endpoint.id`,
);
