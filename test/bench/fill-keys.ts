import type { Stage } from './stage.js';

/** When keys expire: one after the other in the day to come, or in the day that was. */
export type Expiry = 'in the day to come' | 'in the day that was';

/**
 * Adds idempotency keys to a stage as a day of ended jobs leaves them: random keys of the account that is measured, in the order of their expiry,
 * each with the answer of a request that it made and the id of a job of its own. The planner's statistics know them.
 */
export async function fillKeys(stage: Stage, rows: number, expiry: Expiry): Promise<void> {
  const accepted = await stage.client.submit(stage.job, { key: 'filled' });
  if (accepted.status !== 202) throw new Error(`the API answered ${accepted.status}`);
  await stage.query(
    `INSERT INTO idempotency_keys
       (account_id, route, key, fingerprint, job_id, status, location, content_type, body, created_at, expires_at)
     SELECT account_id, route, gen_random_uuid(), fingerprint, uuidv7(), status, location, content_type, body,
            expiry - interval '1 day', expiry
     FROM (SELECT * FROM idempotency_keys WHERE key = 'filled') AS known, generate_series(1, $1) AS number,
          LATERAL (SELECT now() + (number::float8 / $1 - $2) * interval '1 day' AS expiry) AS times`,
    [rows, expiry === 'in the day to come' ? 0 : 1],
  );
  await stage.query('ANALYZE idempotency_keys');
}
