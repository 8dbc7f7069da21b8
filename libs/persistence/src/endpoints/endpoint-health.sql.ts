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
    probes = health.probes, probe_at = health.probe_at, disabled_reason = health.disabled_reason,
    disabled_at = CASE WHEN health.state = 'disabled' THEN coalesce(endpoint.disabled_at, $9) END,
    sequence = endpoint.sequence + health.changes
FROM unnest($1::uuid[], $2::text[], $3::integer[], $4::timestamptz[], $5::integer[], $6::timestamptz[], $7::text[], $8::integer[])
  AS health (id, state, consecutive_failures, first_failure_at, probes, probe_at, disabled_reason, changes)
WHERE endpoint.id = health.id
RETURNING endpoint.id`,
);

/** Disables an endpoint because its account asked for it, once. The row lock puts the endpoint's transitions in an order, which `sequence` follows. */
export const disableEndpoint = statement(
  'disable-endpoint',
  `
UPDATE webhook_endpoints
SET state = 'disabled', disabled_at = clock_timestamp(), disabled_reason = 'requested', probe_at = NULL, sequence = sequence + 1,
    first_failure_at = CASE WHEN state = 'failing' THEN first_failure_at END
WHERE id = $1 AND state <> 'disabled' AND deleted_at IS NULL
RETURNING account_id, url, first_failure_at AS failing_since, disabled_at, sequence`,
);

/**
 * When an endpoint that is enabled now may be probed: at once, but never sooner than 60 s after the probe of the enabling before (for that of
 * a failing endpoint, enabled_at is the time of its probe). So enabling again and again costs a dead receiver one request a minute.
 */
const probeAt = `greatest(now(), enabled_at + interval '60 seconds')`;

/**
 * Enables a disabled endpoint. It is healthy if its account disabled it while it was, otherwise failing: the next probe decides. Its time of
 * failure is counted from now.
 */
export const enableEndpoint = statement(
  'enable-endpoint',
  `
WITH enabled AS (
  SELECT id, CASE WHEN disabled_reason = 'requested' AND first_failure_at IS NULL THEN NULL ELSE ${probeAt} END AS probe_at
  FROM webhook_endpoints
  WHERE id = $1 AND state = 'disabled' AND deleted_at IS NULL
)
UPDATE webhook_endpoints AS endpoint
SET state = CASE WHEN enabled.probe_at IS NULL THEN 'healthy' ELSE 'failing' END,
    probe_at = enabled.probe_at,
    first_failure_at = CASE WHEN enabled.probe_at IS NULL THEN NULL ELSE now() END,
    enabled_at = coalesce(enabled.probe_at, now()),
    consecutive_failures = 0, probes = 0, disabled_at = NULL, disabled_reason = NULL, sequence = sequence + 1
FROM enabled WHERE endpoint.id = enabled.id AND endpoint.state = 'disabled'`,
);

/** Moves the probe of a failing endpoint forward to when one that is enabled now would have it. */
export const hastenProbe = statement(
  'hasten-probe',
  `
UPDATE webhook_endpoints SET probe_at = ${probeAt}, enabled_at = ${probeAt}
WHERE id = $1 AND state = 'failing' AND probe_at > ${probeAt}`,
);
