import { statement } from '../database/statement.js';

/**
 * Moves the garbage among the $2 objects behind id $1 to the deletion list. An upload is garbage when nothing refers to it and it is older
 * than $3 ms; an input that was fetched or an output when nothing refers to it and its claim no longer holds its job. A row that a transaction is about to refer to is
 * locked by that transaction's foreign key, and skipped. One that was referred to after this statement began breaks the foreign key, and the
 * whole statement with it.
 */
export const collectObjects = statement(
  'collect-objects',
  `
WITH page AS (
  SELECT id FROM objects WHERE id > $1 ORDER BY id LIMIT $2
), garbage AS (
  SELECT object.id
  FROM page JOIN objects AS object ON object.id = page.id
  WHERE CASE object.purpose
      WHEN 'upload' THEN object.created_at < now() - $3::float8 * interval '1 millisecond'
      ELSE NOT EXISTS (
        SELECT FROM jobs WHERE jobs.id = object.job_id AND jobs.claim = object.claim AND jobs.state = 'processing'
      )
    END
    AND NOT EXISTS (SELECT FROM files WHERE files.object_id = object.id)
    AND NOT EXISTS (SELECT FROM job_inputs WHERE job_inputs.object_id = object.id)
    AND NOT EXISTS (SELECT FROM job_outputs WHERE job_outputs.object_id = object.id)
  FOR UPDATE OF object SKIP LOCKED
), removed AS (
  DELETE FROM objects USING garbage WHERE objects.id = garbage.id RETURNING objects.name
), listed AS (
  INSERT INTO deleted_objects (name) SELECT name FROM removed ON CONFLICT DO NOTHING
)
SELECT (SELECT count(*) FROM page) AS seen,
       (SELECT id FROM page ORDER BY id DESC LIMIT 1) AS last_id,
       (SELECT count(*) FROM removed) AS removed`,
);

/** Names whose stored objects are to go. */
export const readDeletedObjects = statement(
  'read-deleted-objects',
  `SELECT name FROM deleted_objects WHERE name > $1 ORDER BY name LIMIT $2`,
);

/** The stored objects of these names are gone. */
export const forgetDeletedObjects = statement(
  'forget-deleted-objects',
  `DELETE FROM deleted_objects WHERE name = ANY($1::text[])`,
);
