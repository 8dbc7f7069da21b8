import { typeId } from '#libs/domain';
import type { Cluster } from '../support/cluster.js';
import type { History, RecordedAttempt } from '../support/history.js';

/** Events of jobs count as those of their batch. */
const events = `
SELECT event.id, event.type, coalesce(event.batch_id, job.batch_id) AS batch_id, event.occurred_at,
       encode(sha256(convert_to(event.body, 'UTF8')), 'hex') AS body_sha256
FROM events AS event LEFT JOIN jobs AS job ON job.id = event.job_id
WHERE event.endpoint_id IS NULL`;

const deliveries = `
SELECT delivery.id, delivery.event_id, split_part(endpoint.url, '/', 4) AS endpoint, delivery.state, delivery.attempt,
       (SELECT coalesce(json_agg(json_build_object('number', number, 'claim', claim, 'outcome', outcome) ORDER BY number), '[]')
        FROM delivery_attempts WHERE delivery_id = delivery.id) AS attempts
FROM deliveries AS delivery JOIN webhook_endpoints AS endpoint ON endpoint.id = delivery.endpoint_id
JOIN events AS event ON event.id = delivery.event_id
WHERE event.endpoint_id IS NULL`;

interface EventRow {
  readonly id: string;
  readonly type: string;
  readonly batch_id: string;
  readonly occurred_at: Date;
  readonly body_sha256: string;
}

interface DeliveryRow {
  readonly id: string;
  readonly event_id: string;
  readonly endpoint: string;
  readonly state: string;
  readonly attempt: number;
  readonly attempts: readonly RecordedAttempt[];
}

/** Writes into the history what the database has of events and deliveries. */
export async function readDeliveries(cluster: Cluster, history: History): Promise<void> {
  for (const row of await cluster.query<EventRow>(events)) {
    const of = typeId('batch', row.batch_id);
    const occurredAt = row.occurred_at.getTime();
    const facts = { of, detail: row.type, bodySha256: row.body_sha256, occurredAt };
    history.append({ type: 'stored', kind: 'event', id: typeId('evt', row.id), ...facts });
  }
  for (const { id, event_id, ...row } of await cluster.query<DeliveryRow>(deliveries))
    history.append({ type: 'attempts', deliveryId: typeId('dlv', id), eventId: typeId('evt', event_id), ...row });
}
