import { statement } from '../database/statement.js';
import { selectsType } from './selects-type.sql.js';

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

/**
 * At most $3 of the $4 newest events before $2 that were not delivered, to the endpoint $5 if one is named. more_before says where the next page
 * begins when this one looked at all it may. OFFSET 0, which says nothing new, has each event's deliveries looked up by index: the planner, which
 * knows no $4, might join all deliveries there are instead.
 */
export const listUndeliveredEvents = statement(
  'list-undelivered-events',
  `
WITH seen AS MATERIALIZED (
  SELECT id FROM events
  WHERE account_id = ANY (ARRAY[$1::uuid]) AND id < coalesce($2::uuid, 'ffffffff-ffff-ffff-ffff-ffffffffffff')
  ORDER BY account_id, events.id DESC
  LIMIT $4
), rest AS (
  SELECT CASE WHEN count(*) = $4 THEN (SELECT id FROM seen ORDER BY id LIMIT 1) END AS more_before FROM seen
), undelivered AS (
  SELECT seen.id FROM seen
  WHERE NOT EXISTS (
      SELECT FROM deliveries
      WHERE deliveries.event_id = seen.id AND deliveries.state = 'delivered' AND ($5::uuid IS NULL OR deliveries.endpoint_id = $5)
      OFFSET 0
    )
    AND ($5::uuid IS NULL OR EXISTS (
      SELECT FROM webhook_endpoints AS endpoint JOIN events AS event ON event.id = seen.id
      WHERE endpoint.id = $5 AND endpoint.account_id = $1 AND endpoint.deleted_at IS NULL AND event.type <> 'webhook.ping'
        AND ${selectsType('endpoint.event_types', 'event.type')}
    ))
  ORDER BY seen.id DESC
  LIMIT $3
)
SELECT rest.more_before, event.id, event.type, event.occurred_at, event.body, event.transaction_id::text
FROM rest LEFT JOIN (undelivered JOIN events AS event ON event.id = undelivered.id) ON true
ORDER BY event.id DESC`,
);
