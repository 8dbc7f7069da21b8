import { statement } from '../database/statement.js';

/**
 * Makes what was fetched the input $3 of job $1, under claim $2: $4 name, $5 media type, $6 size, $7 SHA-256, $8 object. The share lock keeps
 * the claim from ending before this has.
 */
export const recordInput = statement(
  'record-input',
  `
WITH held AS (
  SELECT id FROM jobs WHERE id = $1 AND claim = $2 AND state = 'processing' FOR SHARE
)
UPDATE job_inputs AS input
SET name = $4, media_type = $5, size = $6, sha256 = decode($7, 'hex'), object_id = $8
FROM held WHERE (input.job_id, input.index) = (held.id, $3)
RETURNING input.index`,
);
