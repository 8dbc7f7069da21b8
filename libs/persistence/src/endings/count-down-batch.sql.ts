import { statement } from '../database/statement.js';

/**
 * Takes $2 ended jobs off batch $1, and ends it with the last: it and its idempotency key get their expiry, after $3 and $4 ms. The row's lock
 * makes one transaction the last, however many end its jobs at once.
 */
export const countDownBatch = statement(
  'count-down-batch',
  `
WITH batch AS (
  UPDATE batches
  SET open_items = open_items - $2::integer,
      finished_at = CASE WHEN open_items = $2 THEN now() END,
      expires_at = CASE WHEN open_items = $2 THEN now() + $3::float8 * interval '1 millisecond' END
  WHERE id = $1
  RETURNING id, open_items
), key AS (
  UPDATE idempotency_keys SET expires_at = now() + $4::float8 * interval '1 millisecond'
  FROM batch WHERE batch.open_items = 0 AND idempotency_keys.batch_id = batch.id
)
SELECT open_items = 0 AS has_ended FROM batch`,
);

/** A batch with how many of its jobs are in each state, and the first $2 of those that failed. */
export const readEndedBatch = statement(
  'read-ended-batch',
  `
SELECT batch.id, batch.items, batch.created_at, batch.finished_at, batch.expires_at,
  (SELECT json_object_agg(state, jobs) FROM (
    SELECT state, count(*) AS jobs FROM jobs WHERE batch_id = batch.id GROUP BY state
  ) AS counted) AS counts,
  (SELECT coalesce(json_agg(json_build_object('jobId', id, 'clientItemId', client_item_id, 'code', error->>'code') ORDER BY id), '[]') FROM (
    SELECT id, client_item_id, error FROM jobs WHERE batch_id = batch.id AND state = 'failed' ORDER BY id LIMIT $2
  ) AS failed) AS failed_items
FROM batches AS batch WHERE id = $1`,
);
