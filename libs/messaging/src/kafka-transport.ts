import { endsWithin } from '#libs/pace';
import { BaseRpcContext, Server, type CustomTransportStrategy } from '@nestjs/microservices';
import type { Logger } from 'pino';
import { consumeBatch } from './consume-batch.js';
import { DeadLetters } from './dead-letters.js';
import { GroupConsumer } from './group-consumer.js';
import { callHandler, handledTopics } from './handlers.js';
import type { InboundMessage } from './inbound-message.js';
import type { KafkaConnection } from './kafka-connection.js';
import { topics } from './topics.js';

/** What the Kafka transport works with. */
export interface KafkaTransportOptions {
  readonly connection: KafkaConnection;
  /** The consumer group, taken as it is. */
  readonly groupId: string;
  readonly log: Logger;
  /** After how many milliseconds without a heartbeat the group gives this member's partitions away (6 000, the least a broker allows by default). */
  readonly sessionTimeoutMs?: number;
  /** What leaving the group may take (4 000); one that is cut off is a member until its session has timed out. */
  readonly closeMs?: number;
  /** The topics that handlers may name (all of the product). */
  readonly topics?: readonly string[];
}

/**
 * Nest transport that hands fetched batches to `@EventPattern(topic)` handlers: one call a batch, its offsets committed once at its end. At
 * least once. It starts and works on while Kafka is unreachable or a topic is missing, and consumes as soon as it can.
 */
export class KafkaTransport extends Server implements CustomTransportStrategy {
  override readonly propagatesEventHandlerErrors = true;
  readonly #deadLetters: DeadLetters;
  #consumer: GroupConsumer | undefined;

  constructor(private readonly options: KafkaTransportOptions) {
    super();
    this.#deadLetters = new DeadLetters(options.connection, options.groupId);
  }

  /** Starts to consume in the background; calls back at once. */
  listen(callback: (error?: unknown) => void): void {
    const { connection, groupId, log, sessionTimeoutMs = 6_000 } = this.options;
    try {
      const handled = handledTopics(this.messageHandlers, this.options.topics ?? Object.values(topics));
      this.#consumer = new GroupConsumer({
        connection,
        groupId,
        topics: handled,
        sessionTimeoutMs,
        log,
        onBatch: (payload) =>
          consumeBatch(payload, {
            log,
            handle: (topic, messages) => this.#handle(topic, messages),
            deadLetter: (topic, letters) => this.#deadLetters.write(topic, letters),
          }),
      });
    } catch (error) {
      callback(error);
      return;
    }
    this.#consumer.start();
    callback();
  }

  /** Waits for the running handler, commits and leaves the group, and takes no longer than it may. */
  async close(): Promise<void> {
    const { closeMs = 4_000 } = this.options;
    await endsWithin(this.#close(closeMs), closeMs);
  }

  async #close(closeMs: number): Promise<void> {
    await this.#consumer?.stop(closeMs);
    await this.#deadLetters.close();
  }

  /** Whether it is a member of its group right now, as far as can be told from this side. */
  isConnected(): boolean {
    return this.#consumer?.isConnected() ?? false;
  }

  on(): never {
    throw new Error('the Kafka transport emits no events');
  }

  unwrap(): never {
    throw new Error('the Kafka transport lends its client to nobody');
  }

  async #handle(topic: string, messages: readonly InboundMessage[]): Promise<void> {
    const handler = this.messageHandlers.get(topic);
    if (!handler) throw new Error(`no handler for "${topic}"`);
    await callHandler(handler, messages, new BaseRpcContext([topic]));
  }
}
