/**
 * Where outbox rows go: their topic, and whether Kafka is to have them (`pending`) or this installation has none (`local`: such a row is
 * never published later).
 */
export interface OutboxRoute {
  readonly topic: string;
  readonly state: 'pending' | 'local';
}
