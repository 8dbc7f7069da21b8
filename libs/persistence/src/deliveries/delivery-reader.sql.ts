import { statement } from '../database/statement.js';

const deliveries = `
SELECT delivery.id, delivery.event_id, delivery.endpoint_id, delivery.state, delivery.next_attempt_at, delivery.redelivery_of,
       delivery.created_at, (SELECT type FROM events WHERE id = delivery.event_id) AS event_type,
       (SELECT coalesce(json_agg(json_build_object(
                 'number', number, 'startedAt', started_at, 'durationMs', duration_ms, 'outcome', outcome,
                 'statusCode', status_code, 'responseBody', response_body) ORDER BY number), '[]')
        FROM delivery_attempts WHERE delivery_id = delivery.id) AS attempts
FROM deliveries AS delivery`;

export const findDelivery = statement(
  'find-delivery',
  `${deliveries} WHERE delivery.id = $2 AND delivery.account_id = $1`,
);

const olderInState = `
  AND delivery.id < coalesce($2::uuid, 'ffffffff-ffff-ffff-ffff-ffffffffffff')
  AND ($3::text IS NULL OR delivery.state = $3)`;

/** ANY and the order by account, which say nothing new, keep the planner from walking the deliveries of all accounts by the primary key. */
export const listDeliveries = statement(
  'list-deliveries',
  `${deliveries}
WHERE delivery.account_id = ANY (ARRAY[$1::uuid]) ${olderInState}
ORDER BY delivery.account_id, delivery.id DESC
LIMIT $4`,
);

/** As {@link listDeliveries}, by the index of the event. */
export const listDeliveriesOfEvent = statement(
  'list-deliveries-of-event',
  `${deliveries}
WHERE delivery.event_id = ANY (ARRAY[$5::uuid]) AND delivery.account_id = $1 ${olderInState}
  AND ($6::uuid IS NULL OR delivery.endpoint_id = $6)
ORDER BY delivery.event_id, delivery.id DESC
LIMIT $4`,
);

/** As {@link listDeliveries}, by the index of the endpoint. */
export const listDeliveriesOfEndpoint = statement(
  'list-deliveries-of-endpoint',
  `${deliveries}
WHERE delivery.endpoint_id = ANY (ARRAY[$5::uuid]) AND delivery.account_id = $1 ${olderInState}
ORDER BY delivery.endpoint_id, delivery.id DESC
LIMIT $4`,
);
