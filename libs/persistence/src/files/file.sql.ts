import { statement } from '../database/statement.js';

/** One unexpired file of an account. */
export const findFile = statement(
  'find-file',
  `
SELECT id, name, media_type, size, encode(sha256, 'hex') AS sha256, created_at, expires_at
FROM files
WHERE id = $2 AND account_id = $1 AND expires_at > now()`,
);

/** One row for each pair of account and id, in their order; its columns are null unless that is an unexpired file of the account. */
export const findUsableFiles = statement(
  'find-usable-files',
  `
SELECT file.object_id, file.name, file.media_type, file.size, encode(file.sha256, 'hex') AS sha256
FROM unnest($1::uuid[], $2::uuid[]) WITH ORDINALITY AS wanted (account_id, id, position)
LEFT JOIN files AS file ON file.id = wanted.id AND file.account_id = wanted.account_id AND file.expires_at > now()
ORDER BY wanted.position`,
);

/** A file refers to a complete object of its own. */
export const insertFile = statement(
  'insert-file',
  `
INSERT INTO files (id, account_id, object_id, name, media_type, size, sha256, created_at, expires_at)
VALUES ($1, $2, $3, $4, $5, $6, decode($7, 'hex'), $8, $9)`,
);

/** Deletes an unexpired file of an account. A job that was made of it refers to its object by itself. */
export const deleteFile = statement(
  'delete-file',
  'DELETE FROM files WHERE id = $2 AND account_id = $1 AND expires_at > now() RETURNING id',
);
