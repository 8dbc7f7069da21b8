import { statement } from '../database/statement.js';

/** The update changes nothing: it makes the row of a concurrent winner visible, without blocking those who refer to the account. */
export const createAccount = statement(
  'create-account',
  `
INSERT INTO accounts (id, name) VALUES ($1, $2)
ON CONFLICT ON CONSTRAINT accounts_name_is_unique DO UPDATE SET created_at = accounts.created_at
RETURNING id`,
);

export const createApiKey = statement(
  'create-api-key',
  'INSERT INTO api_keys (id, account_id, name, secret_sha256, scopes) VALUES ($1, $2, $3, $4, $5)',
);

/** Made by another key ($1) of the account, which must be live: a revoked one makes no row. */
export const issueApiKey = statement(
  'issue-api-key',
  `
INSERT INTO api_keys (id, account_id, name, secret_sha256, scopes, created_at)
SELECT $2::uuid, account_id, $4, $5, $6, $7::timestamptz FROM api_keys
WHERE id = $1 AND account_id = $3 AND revoked_at IS NULL
RETURNING id`,
);

export const findApiKeyBySecret = statement(
  'find-api-key-by-secret',
  `
SELECT key.id, key.account_id, key.scopes, account.rate_limit
FROM api_keys AS key JOIN accounts AS account ON account.id = key.account_id
WHERE key.secret_sha256 = $1 AND key.revoked_at IS NULL`,
);

/** Writes at most once a minute, so that a busy key is no hot row. */
export const touchApiKey = statement(
  'touch-api-key',
  `
UPDATE api_keys SET last_used_at = now()
WHERE id = $1 AND (last_used_at IS NULL OR last_used_at < now() - interval '1 minute')`,
);

const apiKeys = `
SELECT key.id, key.name, key.scopes, key.created_at, key.last_used_at, key.revoked_at
FROM api_keys AS key`;

/** Oldest first. */
export const listApiKeys = statement(
  'list-api-keys',
  `${apiKeys} JOIN accounts AS account ON account.id = key.account_id
WHERE account.name = $1 ORDER BY key.id`,
);

/** One page, newest first. ANY and the order by account keep the planner at the keys of the account. */
export const readApiKeyPage = statement(
  'read-api-key-page',
  `${apiKeys}
WHERE key.account_id = ANY (ARRAY[$1::uuid]) AND key.id < coalesce($2::uuid, 'ffffffff-ffff-ffff-ffff-ffffffffffff')
ORDER BY key.account_id DESC, key.id DESC
LIMIT $3`,
);

/** The first revocation stands. With an account ($2), only a key of that account. */
export const revokeApiKey = statement(
  'revoke-api-key',
  `
UPDATE api_keys SET revoked_at = coalesce(revoked_at, now())
WHERE id = $1 AND account_id = coalesce($2::uuid, account_id)
RETURNING revoked_at`,
);

export const isApiKeyLive = statement(
  'is-api-key-live',
  'SELECT EXISTS (SELECT FROM api_keys WHERE id = $1 AND revoked_at IS NULL) AS is_live',
);
