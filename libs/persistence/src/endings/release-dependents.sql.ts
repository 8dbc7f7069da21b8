import { statement } from '../database/statement.js';

/**
 * Locks the queued jobs that await an output of the ended jobs $1. Of two transactions that end two inputs of one job, the second gets the
 * lock when the first has committed, so it sees in its next statement that both have ended.
 */
export const lockDependents = statement(
  'lock-dependents',
  `
SELECT id FROM jobs
WHERE id IN (SELECT job_id FROM job_inputs WHERE source_job_id = ANY($1::uuid[])) AND state = 'queued' AND awaits_inputs
ORDER BY id FOR NO KEY UPDATE`,
);

/** Makes those of the locked jobs $1 ready that await no job any more, however those ended: the claim finds out. */
export const releaseDependents = statement(
  'release-dependents',
  `
UPDATE jobs SET awaits_inputs = false, ready_at = now()
WHERE id = ANY($1::uuid[])
  AND NOT EXISTS (
    SELECT FROM job_inputs AS input JOIN jobs AS source ON source.id = input.source_job_id
    WHERE input.job_id = jobs.id AND input.object_id IS NULL AND source.state IN ('queued', 'processing')
  )`,
);
