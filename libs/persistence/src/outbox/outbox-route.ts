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

/**
 * Where outbox rows go: their topic, and whether Kafka is to have them (`pending`) or this installation has none (`local`: such a row is
 * never published later).
 */
export interface OutboxRoute {
  readonly topic: string;
  readonly state: 'pending' | 'local';
}
