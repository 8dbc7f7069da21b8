import { randomBytes } from 'node:crypto';
import {
  createTopics,
  deadLetterTopic,
  kafkaConnection,
  KafkaPublisher,
  KafkaTransport,
  topicTable,
  type KafkaTransportOptions,
  type OutboxRecord,
  type TopicSpec,
} from '#libs/messaging';
import { pino } from 'pino';
import type { TransportBench } from './transport.contract.js';

const [publicTopic] = topicTable;
const log = pino({ level: 'silent' });

/** A topic and its dead-letter topic with names nobody else uses, configured like the public ones. */
export function testTopics(partitions = 3): { readonly topic: string; readonly specs: TopicSpec[] } {
  const topic = `pdfonce.test.${randomBytes(6).toString('hex')}`;
  const config = publicTopic?.config ?? {};
  const spec = (name: string, count: number) => ({ name, purpose: 'test', partitions: count, config });
  return { topic, specs: [spec(topic, partitions), spec(deadLetterTopic(topic), 1)] };
}

/** A topic on a real broker, a consumer group of its own and a publisher. */
export class KafkaBench implements TransportBench {
  readonly topic: string;
  readonly groupId: string;
  readonly #publisher: KafkaPublisher;
  readonly #specs: TopicSpec[];

  constructor(
    private readonly brokers: readonly string[],
    partitions = 3,
  ) {
    const { topic, specs } = testTopics(partitions);
    this.topic = topic;
    this.groupId = `${topic}.group`;
    this.#specs = specs;
    this.#publisher = new KafkaPublisher(this.connection('publisher'));
  }

  connection(clientId: string) {
    return kafkaConnection({ brokers: this.brokers, clientId, log });
  }

  async createTopics(): Promise<this> {
    await createTopics(this.connection('topics'), { replicationFactor: 1, topics: this.#specs });
    return this;
  }

  createTransport(options: Partial<KafkaTransportOptions> = {}): KafkaTransport {
    const connection = this.connection('consumer');
    return new KafkaTransport({ connection, groupId: this.groupId, topics: [this.topic], log, ...options });
  }

  async publish(records: readonly OutboxRecord[]): Promise<void> {
    const outcome = await this.#publisher.publish(this.topic, records);
    if (outcome.kind !== 'published') throw new Error(`not published: ${JSON.stringify(outcome)}`);
  }

  async close(): Promise<void> {
    await this.#publisher.close();
  }
}
