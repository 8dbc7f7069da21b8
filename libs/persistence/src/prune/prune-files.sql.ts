import { statement } from '../database/statement.js';

/** Deletes at most $1 expired files. A job that was made of one refers to its object by itself. */
export const pruneFiles = statement(
  'prune-files',
  `
WITH expired AS (
  SELECT id FROM files WHERE expires_at <= now() ORDER BY expires_at LIMIT $1 FOR UPDATE SKIP LOCKED
)
DELETE FROM files USING expired WHERE files.id = expired.id
RETURNING 1`,
);
