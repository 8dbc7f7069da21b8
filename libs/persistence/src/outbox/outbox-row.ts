import { type RenderedEvent, typeId } from '#libs/domain';

/** A row of the outbox as the relay and the announcer take it. */
export interface OutboxRow {
  readonly id: string;
  readonly topic: string;
  readonly key: string;
  /** TypeID */
  readonly eventId: string;
  readonly type: string;
  /** RFC 3339 */
  readonly occurredAt: string;
  readonly body: string;
}

/** The outbox row of an event or command that was just written. */
export function outboxRow(id: string, topic: string, key: string, event: RenderedEvent): OutboxRow {
  return {
    id,
    topic,
    key,
    eventId: typeId('evt', event.id),
    type: event.type,
    occurredAt: event.occurredAt.toISOString(),
    body: event.body,
  };
}
