import pg from 'pg';
import type { Stage } from './stage.js';

/**
 * Has an idempotency key of the stage's account in a transaction that stays open, so that every request with it waits.
 *
 * @returns a function that ends the transaction; the key is free then
 */
export async function holdKey({ databaseUrl, client }: Stage, key: string): Promise<() => Promise<void>> {
  const session = new pg.Client({ connectionString: databaseUrl });
  await session.connect();
  await session.query('BEGIN');
  await session.query(
    `INSERT INTO idempotency_keys (account_id, route, key, fingerprint, status, content_type, body)
     SELECT account_id, 'POST /v1/jobs', $2, '', 0, '', '' FROM api_keys WHERE secret_sha256 = sha256(convert_to($1, 'UTF8'))`,
    [client.apiKey, key],
  );
  return async () => {
    await session.query('ROLLBACK');
    await session.end();
  };
}
