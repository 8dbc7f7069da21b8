import { statement } from '../database/statement.js';

/**
 * Renews the leases of the claims ($1 job ids, $2 claim numbers) for $5 ms, writes their progress ($3 done, $4 total) and tells which of
 * them still hold their job. It waits for nobody: a row that a settle or a cancel holds locked is renewed the next time, and until that
 * transaction has ended its claim still holds.
 */
export const renewClaims = statement(
  'renew-claims',
  `
WITH mine AS (
  SELECT * FROM unnest($1::uuid[], $2::integer[], $3::integer[], $4::integer[]) AS mine (id, claim, done, total)
), held AS (
  SELECT jobs.id FROM jobs JOIN mine USING (id, claim) WHERE jobs.state = 'processing'
), free AS (
  SELECT jobs.id, mine.done, mine.total FROM jobs JOIN mine USING (id, claim)
  WHERE jobs.state = 'processing'
  FOR NO KEY UPDATE OF jobs SKIP LOCKED
), renewed AS (
  UPDATE jobs
  SET lease_until = now() + $5::float8 * interval '1 millisecond', progress_done = free.done, progress_total = free.total
  FROM free WHERE jobs.id = free.id
)
SELECT id FROM held`,
);
