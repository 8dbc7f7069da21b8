import { statement } from '../database/statement.js';

/** Whether a job that has not ended is still to find this output. */
const isAwaited = `EXISTS (
    SELECT FROM job_inputs AS input JOIN jobs AS dependent ON dependent.id = input.job_id
    WHERE input.source_job_id = job_outputs.job_id AND input.source_output = job_outputs.index AND input.object_id IS NULL
      AND dependent.state IN ('queued', 'processing')
  )`;

/** Locks at most $1 expired outputs that hold an object. */
export const lockExpiredOutputs = statement(
  'lock-expired-outputs',
  `
SELECT job_id, index FROM job_outputs
WHERE object_id IS NOT NULL AND expires_at <= now() AND NOT ${isAwaited}
ORDER BY expires_at LIMIT $1
FOR UPDATE SKIP LOCKED`,
);

/** Ends the hold of the locked outputs ($1 job ids, $2 indexes) on their objects, but not of one that is awaited; name, size and hash stay. */
export const releaseOutputs = statement(
  'release-outputs',
  `
UPDATE job_outputs SET object_id = NULL
FROM unnest($1::uuid[], $2::integer[]) AS locked (job_id, index)
WHERE (job_outputs.job_id, job_outputs.index) = (locked.job_id, locked.index) AND NOT ${isAwaited}
RETURNING 1`,
);
