import { statement } from '../database/statement.js';

/** A batch with the number of its jobs in each state, all of one snapshot. */
export const findBatch = statement(
  'find-batch',
  `
SELECT batch.id, batch.items, batch.created_at, batch.finished_at, batch.expires_at,
       (SELECT coalesce(json_object_agg(state, number), '{}')
        FROM (SELECT state, count(*) AS number FROM jobs WHERE batch_id = batch.id GROUP BY state) AS counted) AS counts
FROM batches AS batch
WHERE batch.id = $2 AND batch.account_id = $1`,
);
