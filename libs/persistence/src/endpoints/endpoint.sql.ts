import { statement } from '../database/statement.js';

/** Whoever adds endpoints to an account waits here for the other; jobs and whatever else refers to the account do not. */
export const lockAccount = statement('lock-account', 'SELECT id FROM accounts WHERE id = $1 FOR NO KEY UPDATE');

/** A statement of its own, so that its snapshot is younger than the lock. */
export const countEndpoints = statement(
  'count-endpoints',
  'SELECT count(*) AS endpoints FROM webhook_endpoints WHERE account_id = $1 AND deleted_at IS NULL',
);

/** Writes an endpoint, its first secret, and that it has nothing due. */
export const insertEndpoint = statement(
  'insert-endpoint',
  `
WITH endpoint AS (
  INSERT INTO webhook_endpoints (id, account_id, url, event_types, description, sealed_headers, metadata, retry_schedule, created_at)
  VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9)
  RETURNING id, created_at
), due AS (
  INSERT INTO due_endpoints (endpoint_id, due_at) SELECT id, 'infinity' FROM endpoint
)
INSERT INTO endpoint_secrets (id, endpoint_id, sealed, created_at)
SELECT $10, id, $11, created_at FROM endpoint`,
);

const endpoints = `
SELECT endpoint.id, endpoint.url, endpoint.event_types, endpoint.description, endpoint.sealed_headers, endpoint.metadata,
       endpoint.retry_schedule, endpoint.state, endpoint.disabled_at, endpoint.disabled_reason, endpoint.created_at,
       CASE WHEN endpoint.state <> 'healthy' THEN endpoint.first_failure_at END AS failing_since,
       (SELECT coalesce(json_agg(json_build_object('id', id, 'createdAt', created_at, 'expiresAt', expires_at)
                 ORDER BY created_at DESC, id DESC), '[]')
        FROM endpoint_secrets
        WHERE endpoint_id = endpoint.id AND (expires_at IS NULL OR expires_at > now())) AS secrets
FROM webhook_endpoints AS endpoint`;

export const findEndpoint = statement(
  'find-endpoint',
  `${endpoints} WHERE endpoint.id = $2 AND endpoint.account_id = $1 AND endpoint.deleted_at IS NULL`,
);

/** Whoever changes an endpoint waits here for the other; deliveries that refer to it do not. What it is then, a later statement reads. */
export const lockEndpoint = statement(
  'lock-endpoint',
  'SELECT id FROM webhook_endpoints WHERE id = $2 AND account_id = $1 AND deleted_at IS NULL FOR NO KEY UPDATE',
);

export const updateEndpoint = statement(
  'update-endpoint',
  `
UPDATE webhook_endpoints
SET url = $2, event_types = $3, description = $4, sealed_headers = $5, metadata = $6, retry_schedule = $7
WHERE id = $1`,
);

/** ANY and the order by account, which say nothing new, keep the planner from walking the endpoints of all accounts by the primary key. */
export const listEndpoints = statement(
  'list-endpoints',
  `${endpoints}
WHERE endpoint.account_id = ANY (ARRAY[$1::uuid]) AND endpoint.deleted_at IS NULL
  AND endpoint.id < coalesce($2::uuid, 'ffffffff-ffff-ffff-ffff-ffffffffffff')
ORDER BY endpoint.account_id, endpoint.id DESC
LIMIT $3`,
);

export const markEndpointDeleted = statement(
  'mark-endpoint-deleted',
  'UPDATE webhook_endpoints SET deleted_at = now() WHERE id = $2 AND account_id = $1 AND deleted_at IS NULL RETURNING id',
);
