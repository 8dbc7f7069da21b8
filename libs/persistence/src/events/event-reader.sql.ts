import { statement } from '../database/statement.js';

const eventColumns = 'id, type, occurred_at, body, transaction_id::text';

export const findEvent = statement(
  'find-event',
  `SELECT ${eventColumns} FROM events WHERE id = $2 AND account_id = $1`,
);

/** ANY and the order by account, which say nothing new, keep the planner from walking the events of all accounts by the primary key. */
export const listNewestEvents = statement(
  'list-newest-events',
  `
SELECT ${eventColumns} FROM events
WHERE account_id = ANY (ARRAY[$1::uuid]) AND id < coalesce($2::uuid, 'ffffffff-ffff-ffff-ffff-ffffffffffff')
ORDER BY account_id, events.id DESC
LIMIT $3`,
);

/**
 * Rows of transactions that are older than every running one: whatever commits later has a higher transaction id, so it comes after every
 * row that this statement has shown.
 */
export const listEventsInOrder = statement(
  'list-events-in-order',
  `
SELECT ${eventColumns} FROM events
WHERE account_id = $1
  AND (transaction_id, id) > (coalesce($2::xid8, '0'), coalesce($3::uuid, '00000000-0000-0000-0000-000000000000'))
  AND transaction_id < pg_snapshot_xmin(pg_current_snapshot())
ORDER BY events.transaction_id, events.id
LIMIT $4`,
);
