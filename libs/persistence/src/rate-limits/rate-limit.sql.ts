import { statement } from '../database/statement.js';

/**
 * Only in the window ($3, Unix milliseconds) in which they were taken: a later one starts at its end, so it ends a second later or more. What
 * was taken beyond the limit ($4) was given to nobody.
 */
export const giveBackUnits = statement(
  'give-back-rate-limit-units',
  `
UPDATE rate_limits SET points = greatest(least(points, $4::integer) - $2::integer, 0)
WHERE key = $1 AND expire < $3::bigint + 500
RETURNING points, expire`,
);

export const setRateLimit = statement(
  'set-rate-limit',
  'UPDATE accounts SET rate_limit = $2 WHERE name = $1 RETURNING id',
);
