import type { IHeaders, KafkaMessage } from 'kafkajs';
import type { KafkaConnection } from './kafka-connection.js';
import { KafkaProducer } from './kafka-producer.js';
import { refusalOf } from './refusal-of.js';
import { deadLetterTopic } from './topics.js';

/** A record that could not be decoded and where it stood. */
export interface DeadLetter {
  readonly message: KafkaMessage;
  readonly partition: number;
  readonly reason: string;
}

/**
 * Writes undecodable records to `<topic>.dlq`: key, value and headers as they were, and the reason and source
 * position in headers. Of a record that does not fit together with these, only the position is written: it stays where it is.
 */
export class DeadLetters {
  readonly #producer: KafkaProducer;

  constructor(
    connection: KafkaConnection,
    private readonly groupId: string,
  ) {
    this.#producer = new KafkaProducer(connection, 5_000);
  }

  /** @throws when Kafka did not take them; then nothing is known, and a repetition may write them twice */
  async write(topic: string, letters: readonly DeadLetter[]): Promise<void> {
    for (const letter of letters) await this.#writeOne(topic, letter);
  }

  /** Ends the connection within about a second. */
  async close(): Promise<void> {
    await this.#producer.close();
  }

  async #writeOne(topic: string, letter: DeadLetter): Promise<void> {
    const { key, value, headers } = letter.message;
    const position = this.#position(topic, letter);
    const target = deadLetterTopic(topic);
    try {
      await this.#producer.send(target, [{ key, value, headers: { ...headers, ...position } }]);
    } catch (error) {
      const refusal = refusalOf(error);
      if (!refusal) throw error;
      const omitted = { 'dlq-omitted': `key, value and headers: ${refusal}` };
      await this.#producer.send(target, [{ key: null, value: null, headers: { ...position, ...omitted } }]);
    }
  }

  #position(topic: string, { message, partition, reason }: DeadLetter): IHeaders {
    return {
      'dlq-reason': reason,
      'dlq-source-topic': topic,
      'dlq-source-partition': String(partition),
      'dlq-source-offset': message.offset,
      'dlq-consumer-group': this.groupId,
      'dlq-failed-at': new Date().toISOString(),
    };
  }
}
