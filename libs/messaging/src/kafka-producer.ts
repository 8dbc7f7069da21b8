import { endsWithin } from '#libs/pace';
import { Partitioners, type Message, type Producer } from 'kafkajs';
import type { KafkaClient, KafkaConnection } from './kafka-connection.js';

interface Session {
  readonly client: KafkaClient;
  readonly producer: Producer;
  /** A suspended broker accepts sockets but answers nothing: only its first answer makes a connection. */
  answered: boolean;
}

/**
 * A producer that is thrown away after every failure: whatever kafkajs still had in flight ends with its sockets, and the next call
 * starts afresh. It never repeats a send by itself.
 */
export class KafkaProducer {
  /** The longest time that connecting takes, in milliseconds. */
  static readonly connectTimeoutMs = 3_000;

  #session: Session | undefined;
  #closed = false;

  /** @param sendTimeoutMs the longest time one send may take, in milliseconds */
  constructor(
    private readonly connection: KafkaConnection,
    private readonly sendTimeoutMs: number,
  ) {}

  /** Whether Kafka has answered and its socket is still open. */
  isConnected(): boolean {
    return this.#session !== undefined && this.#session.answered && this.#session.client.hasOpenSocket();
  }

  /** Connects unless connected. @throws when Kafka does not answer in time */
  async connect(): Promise<void> {
    if (this.isConnected()) return;
    this.discard();
    if (this.#closed) throw new Error('the producer is closed');
    const client = this.connection.open({ requestTimeoutMs: this.sendTimeoutMs, retries: 0 });
    const producer = client.kafka.producer({
      allowAutoTopicCreation: false,
      createPartitioner: Partitioners.DefaultPartitioner,
      maxInFlightRequests: 1,
      metadataMaxAge: 60_000,
      retry: { retries: 0 },
    });
    const session: Session = { client, producer, answered: false };
    this.#session = session;
    await this.#bounded(producer.connect(), KafkaProducer.connectTimeoutMs);
    session.answered = true;
  }

  /** Sends to one topic and waits for all replicas. @throws when the outcome is unknown or Kafka refuses the records */
  async send(topic: string, messages: Message[]): Promise<void> {
    await this.connect();
    const { producer } = this.#session ?? {};
    if (!producer) throw new Error('the producer is closed');
    await this.#bounded(producer.send({ topic, messages, acks: -1, timeout: this.sendTimeoutMs }), this.sendTimeoutMs);
  }

  /** Forgets the connection: sockets end at once. */
  discard(): void {
    this.#session?.client.destroy();
    this.#session = undefined;
  }

  /** Ends the connection, politely if Kafka answers within a second. */
  async close(): Promise<void> {
    this.#closed = true;
    const { producer } = this.#session ?? {};
    if (producer && this.isConnected()) await endsWithin(producer.disconnect(), 1_000).catch(() => false);
    this.discard();
  }

  async #bounded(work: Promise<unknown>, ms: number): Promise<void> {
    try {
      if (!(await endsWithin(work, ms))) throw new Error(`Kafka did not answer within ${ms} ms`);
    } catch (error) {
      this.discard();
      throw error;
    }
  }
}
