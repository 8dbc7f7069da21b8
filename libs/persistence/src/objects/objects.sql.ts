import { statement } from '../database/statement.js';

/**
 * An object is known before its first byte, so whatever a crash leaves in the storage has a row that the collector finds. Ids are used once, so
 * a repetition after a lost answer changes nothing.
 */
export const registerObject = statement(
  'register-object',
  `INSERT INTO objects (id, account_id, name, purpose, job_id, claim) VALUES ($1, $2, $3, $4, $5, $6) ON CONFLICT (id) DO NOTHING`,
);

/** A row that the collector has taken since is not made again; a repetition after a lost answer changes nothing. */
export const completeObject = statement(
  'complete-object',
  `
UPDATE objects SET size = $2, sha256 = decode($3, 'hex'), completed_at = coalesce(completed_at, now())
WHERE id = $1
RETURNING id`,
);

/** For bytes whose row the collector took while they were being written: they go with the next pass. */
export const discardObject = statement(
  'discard-object',
  `INSERT INTO deleted_objects (name) VALUES ($1) ON CONFLICT DO NOTHING`,
);
