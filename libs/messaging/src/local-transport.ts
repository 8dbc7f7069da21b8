import { backOffMs, endsWithin, pause } from '#libs/pace';
import { BaseRpcContext, Server, type CustomTransportStrategy, type MessageHandler } from '@nestjs/microservices';
import type { Logger } from 'pino';
import { decodeRecord, encodeRecord } from './envelope.js';
import { callHandler, handledTopics } from './handlers.js';
import type { InboundMessage } from './inbound-message.js';
import type { LocalBus } from './local-bus.js';
import type { OutboxRecord } from './outbox-record.js';
import { topics } from './topics.js';

/** What the in-process transport works with. */
export interface LocalTransportOptions {
  readonly bus: LocalBus;
  readonly log: Logger;
  /** The topics that handlers may name (all of the product). */
  readonly topics?: readonly string[];
}

const maxBatch = 500;
const maxQueued = 20_000;
const maxTries = 6;
const backOff = { firstMs: 50, maxMs: 1_000 };

/**
 * Nest transport for one process without Kafka. Everything announced in one turn of the event loop, or while the handler of the topic is at
 * work, is one call (of up to 500 records; beyond 20 000 waiting ones new records are left to the polls). A failing call is repeated some times with back-off and then given up: consumers also poll.
 */
export class LocalTransport extends Server implements CustomTransportStrategy {
  override readonly propagatesEventHandlerErrors = true;
  readonly #queues = new Map<string, OutboxRecord[]>();
  readonly #running = new Map<string, Promise<void>>();
  readonly #closing = new AbortController();
  #unsubscribe: (() => void) | undefined;

  constructor(private readonly options: LocalTransportOptions) {
    super();
  }

  /** Starts to take what the bus announces. */
  listen(callback: (error?: unknown) => void): void {
    try {
      const known = this.options.topics ?? Object.values(topics);
      for (const topic of handledTopics(this.messageHandlers, known)) this.#queues.set(topic, []);
    } catch (error) {
      callback(error);
      return;
    }
    this.#unsubscribe = this.options.bus.subscribe((records) => this.#take(records));
    callback();
  }

  /** Takes nothing more and waits for running handlers, at most 5 s; what is still queued is left to the polls. */
  async close(): Promise<void> {
    this.#unsubscribe?.();
    this.#unsubscribe = undefined;
    this.#closing.abort();
    await endsWithin(Promise.all(this.#running.values()), 5_000);
  }

  /** Whether it takes messages. */
  isConnected(): boolean {
    return this.#unsubscribe !== undefined;
  }

  on(): never {
    throw new Error('the local transport emits no events');
  }

  unwrap(): never {
    throw new Error('the local transport has no client');
  }

  #take(records: readonly OutboxRecord[]): void {
    for (const record of records) {
      const queue = this.#queues.get(record.topic);
      if (!queue || queue.length >= maxQueued) continue;
      queue.push(record);
      if (!this.#running.has(record.topic)) this.#running.set(record.topic, this.#drain(record.topic, queue));
    }
  }

  async #drain(topic: string, queue: OutboxRecord[]): Promise<void> {
    const handler = this.messageHandlers.get(topic);
    await new Promise(setImmediate);
    while (handler && queue.length > 0 && !this.#closing.signal.aborted) {
      await this.#deliver(topic, handler, queue.splice(0, maxBatch));
    }
    this.#running.delete(topic);
  }

  async #deliver(topic: string, handler: MessageHandler, records: readonly OutboxRecord[]): Promise<void> {
    const { signal } = this.#closing;
    const messages = records.flatMap((record) => this.#decode(record));
    for (let tries = 1; messages.length > 0 && !signal.aborted; tries += 1) {
      try {
        await callHandler(handler, messages, new BaseRpcContext([topic]));
        return;
      } catch (error) {
        const detail = { err: error, topic, messages: messages.length, tries };
        this.options.log.error(detail, tries < maxTries ? 'batch.failed' : 'batch.given-up');
      }
      if (tries >= maxTries) return;
      await pause(backOffMs(tries, backOff, Math.random()), signal);
    }
  }

  #decode(record: OutboxRecord): InboundMessage[] {
    const decoded = decodeRecord(encodeRecord(record));
    if (decoded.kind === 'message') return [decoded.message];
    this.options.log.error(
      { eventId: record.eventId, topic: record.topic, reason: decoded.reason },
      'record.not-decoded',
    );
    return [];
  }
}
