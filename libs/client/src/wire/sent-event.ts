/** What webhooks and Kafka carry. Its id is the same wherever it is seen. */
export interface SentEvent {
  readonly id: string;
  readonly object: 'event';
  readonly type: string;
  readonly timestamp: string;
  readonly data: Readonly<Record<string, unknown>>;
}
