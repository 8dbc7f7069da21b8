import { statement } from '../database/statement.js';

/** Locks at most $1 events older than $2 ms that have no open delivery. Under the lock nobody can add a delivery to them. */
export const lockOldEvents = statement(
  'lock-old-events',
  `
SELECT id FROM events
WHERE created_at < now() - $2::float8 * interval '1 millisecond'
  AND NOT EXISTS (
    SELECT FROM deliveries WHERE deliveries.event_id = events.id AND deliveries.state IN ('pending', 'delivering')
  )
ORDER BY created_at LIMIT $1
FOR UPDATE SKIP LOCKED`,
);

/** Deletes the locked events $1 with their deliveries, but none that was given an open delivery before the lock. */
export const deleteEvents = statement(
  'delete-events',
  `
DELETE FROM events
WHERE id = ANY($1::uuid[])
  AND NOT EXISTS (
    SELECT FROM deliveries WHERE deliveries.event_id = events.id AND deliveries.state IN ('pending', 'delivering')
  )
RETURNING 1`,
);
