import { type Statement, statement } from '../database/statement.js';

export const findAccount = statement('find-account', 'SELECT id FROM accounts WHERE name = $1');

/** From here on nobody can ask for anything in the name of account $1, and no event of it makes a delivery. Endpoints are locked in the order of their ids. */
export const closeAccount = statement(
  'close-account',
  `
WITH keys AS (
  DELETE FROM api_keys WHERE account_id = $1
), held AS MATERIALIZED (
  SELECT id FROM webhook_endpoints WHERE account_id = $1 AND deleted_at IS NULL ORDER BY id FOR NO KEY UPDATE
), endpoints AS (
  UPDATE webhook_endpoints AS endpoint SET deleted_at = now() FROM held WHERE endpoint.id = held.id
)
UPDATE recoveries SET state = 'cancelled', finished_at = now() WHERE account_id = $1 AND state = 'running'`,
);

function erasing(table: string, key: string): Statement {
  return statement(
    `erase-${table.replaceAll('_', '-')}`,
    `DELETE FROM ${table} WHERE (${key}) IN (SELECT ${key} FROM ${table} WHERE account_id = $1 LIMIT $2) RETURNING 1`,
  );
}

/** Events with their deliveries and attempts, and the copies that are to be published. */
const eraseEvents = statement(
  'erase-events',
  `
WITH gone AS MATERIALIZED (
  SELECT id FROM events WHERE account_id = $1 LIMIT $2 FOR UPDATE
), copies AS (
  DELETE FROM outbox USING gone WHERE outbox.event_id = gone.id
)
DELETE FROM events USING gone WHERE events.id = gone.id
RETURNING 1`,
);

/** Each takes at most $2 rows of account $1. Jobs go before events, which they make, and endpoints after whatever refers to them. */
export const eraseSteps: readonly (readonly [kind: string, statement: Statement])[] = [
  ['idempotency keys', erasing('idempotency_keys', 'account_id, key, route')],
  ['jobs', erasing('jobs', 'id')],
  ['batches', erasing('batches', 'id')],
  ['files', erasing('files', 'id')],
  ['events', eraseEvents],
  ['recoveries', erasing('recoveries', 'id')],
  ['webhook endpoints', erasing('webhook_endpoints', 'id')],
  ['usage records', erasing('usage_records', 'job_id')],
];

/** The row stays for the objects that the collector has yet to delete; its name does not. */
export const forgetAccount = statement(
  'forget-account',
  `UPDATE accounts SET name = 'erased-' || id, rate_limit = NULL WHERE id = $1`,
);
