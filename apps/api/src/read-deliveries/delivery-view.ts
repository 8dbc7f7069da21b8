import { typeId } from '#libs/domain';
import type { Delivery } from '#libs/persistence';

/** The public JSON of a delivery with its attempts. */
export function deliveryView(delivery: Delivery) {
  return {
    id: typeId('dlv', delivery.id),
    object: 'delivery' as const,
    event_id: typeId('evt', delivery.eventId),
    event_type: delivery.eventType,
    endpoint_id: typeId('ep', delivery.endpointId),
    state: delivery.state,
    attempts: delivery.attempts.map((attempt) => ({
      number: attempt.number,
      started_at: attempt.startedAt.toISOString(),
      duration_ms: attempt.durationMs,
      outcome: attempt.outcome,
      status_code: attempt.statusCode,
      response_body: attempt.responseBody,
    })),
    next_attempt_at: delivery.nextAttemptAt?.toISOString() ?? null,
    redelivery_of: delivery.redeliveryOf === null ? null : typeId('dlv', delivery.redeliveryOf),
    created_at: delivery.createdAt.toISOString(),
  };
}
