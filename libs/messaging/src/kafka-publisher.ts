import { encodeRecord } from './envelope.js';
import type { KafkaConnection } from './kafka-connection.js';
import { KafkaProducer } from './kafka-producer.js';
import type { OutboxRecord } from './outbox-record.js';
import type { PublishOutcome } from './publish-outcome.js';
import { refusalOf } from './refusal-of.js';

const sendTimeoutMs = 3_500;

/** Publishes outbox records; connects when it is first used, so it can be made while Kafka is unreachable. */
export class KafkaPublisher {
  /** The longest time that one `publish` takes, in milliseconds. */
  readonly publishTimeoutMs = KafkaProducer.connectTimeoutMs + sendTimeoutMs;

  readonly #producer: KafkaProducer;

  constructor(connection: KafkaConnection) {
    this.#producer = new KafkaProducer(connection, sendTimeoutMs);
  }

  /** Whether Kafka has answered and its socket is still open. */
  isConnected(): boolean {
    return this.#producer.isConnected();
  }

  /** Connects unless connected. @throws when Kafka does not answer within 3 s */
  async connect(): Promise<void> {
    await this.#producer.connect();
  }

  /** Publishes records of one topic in one request and waits for all replicas. Never throws. */
  async publish(topic: string, records: readonly OutboxRecord[]): Promise<PublishOutcome> {
    try {
      await this.#producer.send(topic, records.map(encodeRecord));
      return { kind: 'published' };
    } catch (error) {
      const refusal = refusalOf(error);
      return refusal ? { kind: 'refused', reason: refusal } : { kind: 'unknown', error: asError(error) };
    }
  }

  /** Ends the connection within about a second. */
  async close(): Promise<void> {
    await this.#producer.close();
  }
}

function asError(error: unknown): Error {
  return error instanceof Error ? error : new Error('publishing failed', { cause: error });
}
