/** An outbox row as messaging sees it. */
export interface OutboxRecord {
  /** The outbox row's id, a bigint as text. */
  readonly id: string;
  readonly topic: string;
  /** The Kafka key: job, batch or endpoint id. */
  readonly key: string;
  /** The event's TypeID (`evt_...`), the same on every copy and every channel. */
  readonly eventId: string;
  readonly type: string;
  /** When it happened, RFC 3339. */
  readonly occurredAt: string;
  /** The stored JSON; its UTF-8 bytes are what is sent. */
  readonly body: string;
}
