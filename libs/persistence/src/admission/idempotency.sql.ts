import { type Statement, statement } from '../database/statement.js';
import type { KeyMode } from './idempotency-record.js';
import { takeKey } from './take-key.sql.js';

/** A record counts from its commit to its expiry, purged or not; the database clock decides. It is shown to a live API key ($4) only. */
export const findKey = statement(
  'find-idempotency-key',
  `
SELECT fingerprint, status, location, content_type, body, is_sealed, coalesce(expires_at <= now(), false) AS is_expired,
       EXISTS (SELECT FROM api_keys WHERE id = $4 AND revoked_at IS NULL) AS is_authorized
FROM idempotency_keys
WHERE account_id = $1 AND route = $2 AND key = $3`,
);

const work = { jobId: 'NULL::uuid', expiresAt: 'now() + make_interval(secs => $2::float8)' };

function takeOnly(name: string, mode: KeyMode): Statement {
  return statement(
    name,
    `
WITH caller AS (
  SELECT FROM api_keys WHERE id = $1 AND revoked_at IS NULL
), taken AS (
  ${takeKey(mode, 3, work)}
)
SELECT EXISTS (SELECT FROM caller) AS is_authorized, EXISTS (SELECT FROM taken) AS is_taken`,
  );
}

/** Takes a key for work that the same transaction writes; its record expires counted from now. */
export const takeKeyOnly: Readonly<Record<KeyMode, Statement>> = {
  insert: takeOnly('take-idempotency-key', 'insert'),
  replace: takeOnly('take-expired-idempotency-key', 'replace'),
};
