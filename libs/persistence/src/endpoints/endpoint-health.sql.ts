import { statement } from '../database/statement.js';

/** Disables an endpoint for the reason $2, once. The row lock puts the endpoint's transitions in an order, which `sequence` follows. */
export const disableEndpoint = statement(
  'disable-endpoint',
  `
UPDATE webhook_endpoints
SET state = 'disabled', disabled_at = clock_timestamp(), disabled_reason = $2, probe_at = NULL, sequence = sequence + 1
WHERE id = $1 AND state <> 'disabled' AND deleted_at IS NULL
RETURNING account_id, url, failing_since, new_uuid_v7() AS event_id, disabled_at, sequence`,
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
  SELECT id, CASE WHEN disabled_reason = 'requested' AND failing_since IS NULL THEN NULL ELSE ${probeAt} END AS probe_at
  FROM webhook_endpoints
  WHERE id = $1 AND state = 'disabled' AND deleted_at IS NULL
)
UPDATE webhook_endpoints AS endpoint
SET state = CASE WHEN enabled.probe_at IS NULL THEN 'healthy' ELSE 'failing' END,
    probe_at = enabled.probe_at,
    failing_since = CASE WHEN enabled.probe_at IS NULL THEN NULL ELSE now() END,
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
