import { statement } from '../database/statement.js';

/** Ends the secrets of endpoint $1 after $2 seconds, where they do not end before, and removes those that have ended. Gives those that still sign. */
export const retireSecrets = statement(
  'retire-secrets',
  `
WITH ended AS (
  DELETE FROM endpoint_secrets WHERE endpoint_id = $1 AND expires_at <= now()
)
UPDATE endpoint_secrets
SET expires_at = least(coalesce(expires_at, 'infinity'), date_trunc('milliseconds', now()) + $2::float8 * interval '1 second')
WHERE endpoint_id = $1 AND (expires_at IS NULL OR expires_at > now())
RETURNING expires_at > now() AS signs`,
);

/** Writes the newest secret of an endpoint; it is newer than the others whatever the clocks of those who wrote them said. */
export const insertSecret = statement(
  'insert-secret',
  `
INSERT INTO endpoint_secrets (id, endpoint_id, sealed, created_at)
SELECT $2, $1, $3, greatest(clock_timestamp(), max(created_at) + interval '1 millisecond')
FROM endpoint_secrets WHERE endpoint_id = $1`,
);
