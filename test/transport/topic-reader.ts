import { randomUUID } from 'node:crypto';
import { Kafka, logLevel, type KafkaMessage } from 'kafkajs';

/** Reads a topic from its beginning with a plain client, independent of the product: what public consumers see. */
export class TopicReader {
  readonly messages: KafkaMessage[] = [];
  readonly #consumer;

  constructor(
    brokers: string[],
    private readonly topic: string,
  ) {
    const kafka = new Kafka({ brokers, clientId: 'reader', logLevel: logLevel.NOTHING });
    this.#consumer = kafka.consumer({
      groupId: `${topic}.reader.${randomUUID()}`,
      maxWaitTimeInMs: 50,
      retry: { retries: 100, maxRetryTime: 500 },
    });
  }

  async start(): Promise<this> {
    await this.#consumer.connect();
    await this.#consumer.subscribe({ topics: [this.topic], fromBeginning: true });
    await this.#consumer.run({ eachMessage: async ({ message }) => void this.messages.push(message) });
    return this;
  }

  /** The event ids in the order of arrival. */
  ids(): string[] {
    return this.messages.map(({ headers }) => String(headers?.['ce_id']));
  }

  async stop(): Promise<void> {
    await this.#consumer.disconnect();
  }
}
