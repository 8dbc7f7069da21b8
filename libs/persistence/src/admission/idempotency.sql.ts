import { type Statement, statement } from '../database/statement.js';
import type { KeyMode } from './idempotency-record.js';
import { takeKey } from './take-key.sql.js';

/**
 * The records of several keys, each with the number of the one that asks. A record counts from its commit to its expiry, purged or not; the
 * database clock decides. It is shown to a live API key only. LIMIT keeps the planner from reading all records for a join: each is looked up.
 */
export const findKeys = statement(
  'find-idempotency-keys',
  `
SELECT asked.number, record.fingerprint, record.status, record.location, record.content_type,
       convert_from(record.body, 'UTF8') AS body, record.is_sealed,
       coalesce(record.expires_at <= now(), false) AS is_expired,
       coalesce((SELECT true FROM api_keys WHERE id = asked.api_key_id AND revoked_at IS NULL), false) AS is_authorized
FROM unnest($1::uuid[], $2::text[], $3::text[], $4::uuid[])
       WITH ORDINALITY AS asked (account_id, route, key, api_key_id, number),
LATERAL (
  SELECT * FROM idempotency_keys AS own
  WHERE own.account_id = asked.account_id AND own.route = asked.route AND own.key = asked.key
  LIMIT 1
) AS record`,
);

const work = { jobId: 'NULL::uuid', batchId: 'NULL::uuid', expiresAt: 'now() + make_interval(secs => $2::float8)' };

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

/** Gives the answer to a record that this transaction has taken; nobody else sees it before the commit. */
export const answerKey = statement(
  'answer-idempotency-key',
  `
UPDATE idempotency_keys SET status = $4, location = $5, content_type = $6, body = $7, is_sealed = $8
WHERE account_id = $1 AND route = $2 AND key = $3
RETURNING key`,
);
