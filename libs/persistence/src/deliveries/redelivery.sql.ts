import { statement } from '../database/statement.js';

/** Delivery $2 of account $1 as far as sending it again goes. Under the lock on its event the pruner leaves that alone. */
export const lockDelivered = statement(
  'lock-delivered',
  `
SELECT endpoint.id AS endpoint_id, endpoint.state AS endpoint_state, endpoint.deleted_at IS NOT NULL AS is_deleted
FROM deliveries AS delivery
JOIN events AS event ON event.id = delivery.event_id
JOIN webhook_endpoints AS endpoint ON endpoint.id = delivery.endpoint_id
WHERE delivery.id = $2 AND delivery.account_id = $1
FOR KEY SHARE OF event`,
);

/** Another delivery of the event of delivery $1 to its endpoint, due now. */
export const insertRedelivery = statement(
  'insert-redelivery',
  `
INSERT INTO deliveries (id, account_id, event_id, endpoint_id, state, next_attempt_at, redelivery_of)
SELECT new_uuid_v7(), account_id, event_id, endpoint_id, 'pending', now(), id FROM deliveries WHERE id = $1
RETURNING id`,
);
