import { backOffMs, endsWithin, pause } from '#libs/pace';
import type { Consumer, EachBatchPayload } from 'kafkajs';
import type { Logger } from 'pino';
import type { KafkaClient, KafkaConnection } from './kafka-connection.js';

/** What a member of a consumer group works with; times in milliseconds. */
export interface GroupConsumerOptions {
  readonly connection: KafkaConnection;
  readonly groupId: string;
  readonly topics: readonly string[];
  readonly sessionTimeoutMs: number;
  readonly log: Logger;
  /** Called for one partition's fetched batch after another; commits follow when it resolved the batch's offset. */
  readonly onBatch: (payload: EachBatchPayload) => Promise<void>;
}

interface Session {
  readonly client: KafkaClient;
  readonly consumer: Consumer;
  /** Settles with the reason when the consumer is dead or was told to stop. */
  readonly ended: Promise<unknown>;
  readonly end: (reason: unknown) => void;
}

const backOff = { firstMs: 200, maxMs: 2_000 };
const rebalanceTimeoutMs = 30_000;

/**
 * A member of a consumer group that lives until it is stopped: a kafkajs consumer that dies, gives no sign of life, or cannot start
 * (Kafka unreachable, topic missing) is thrown away and replaced, with back-off, for ever. After a crash of the only broker the group still
 * counts the member of before, so that consuming goes on when its session has expired.
 */
export class GroupConsumer {
  readonly #stopping = new AbortController();
  #loop: Promise<void> | undefined;
  #joined = false;
  #lastSignAt = 0;

  constructor(private readonly options: GroupConsumerOptions) {}

  /** Whether the group counts it as a member, as far as can be told from this side. */
  isConnected(): boolean {
    return this.#joined && performance.now() - this.#lastSignAt < this.options.sessionTimeoutMs;
  }

  /** Starts in the background. */
  start(): void {
    this.#loop ??= this.#live();
  }

  /** Finishes the running batch, commits and leaves the group; what is not done within `withinMs` is cut off. */
  async stop(withinMs: number): Promise<void> {
    this.#stopping.abort();
    if (this.#loop) await endsWithin(this.#loop, withinMs);
  }

  async #live(): Promise<void> {
    const { signal } = this.#stopping;
    let failures = 0;
    while (!signal.aborted) {
      const reason = await this.#liveOnce();
      failures = this.#joined ? 1 : failures + 1;
      this.#joined = false;
      if (signal.aborted) return;
      this.#report(reason, failures);
      await pause(backOffMs(failures, backOff, Math.random()), signal);
    }
  }

  async #liveOnce(): Promise<unknown> {
    const session = this.#open();
    const stop = () => session.end('stopped');
    const watchdog = setInterval(() => this.#checkSigns(session), 1_000);
    this.#stopping.signal.addEventListener('abort', stop);
    try {
      return await Promise.race([session.ended, this.#startUp(session).then(() => session.ended)]);
    } catch (error) {
      return error;
    } finally {
      clearInterval(watchdog);
      this.#stopping.signal.removeEventListener('abort', stop);
      await this.#leave(session);
    }
  }

  async #leave({ consumer, client }: Session): Promise<void> {
    const left = consumer.disconnect().catch(() => undefined);
    await endsWithin(left, 3_500);
    client.destroy();
    await endsWithin(left, 250);
  }

  #open(): Session {
    const { connection, groupId, sessionTimeoutMs } = this.options;
    const client = connection.open({ requestTimeoutMs: 10_000, retries: 2 });
    const consumer = client.kafka.consumer({
      groupId,
      sessionTimeout: sessionTimeoutMs,
      heartbeatInterval: Math.floor(sessionTimeoutMs / 4),
      rebalanceTimeout: rebalanceTimeoutMs,
      maxBytesPerPartition: 256 * 1024,
      maxWaitTimeInMs: 250,
      metadataMaxAge: 60_000,
      allowAutoTopicCreation: false,
      retry: { retries: 2, initialRetryTime: 100, maxRetryTime: 1_000, restartOnFailure: () => Promise.resolve(false) },
    });
    let end: (reason: unknown) => void = () => undefined;
    const ended = new Promise<unknown>((resolve) => {
      end = resolve;
    });
    this.#listen(consumer, end);
    return { client, consumer, ended, end };
  }

  #listen(consumer: Consumer, end: (reason: unknown) => void): void {
    const { GROUP_JOIN, FETCH, HEARTBEAT, CRASH } = consumer.events;
    const sign = () => {
      this.#lastSignAt = performance.now();
    };
    sign();
    consumer.on(FETCH, sign);
    consumer.on(HEARTBEAT, sign);
    consumer.on(CRASH, ({ payload }) => end(payload.error));
    consumer.on(GROUP_JOIN, ({ payload }) => {
      sign();
      this.#joined = true;
      this.options.log.info({ groupId: payload.groupId, assignment: payload.memberAssignment }, 'kafka.group-joined');
    });
  }

  async #startUp({ consumer }: Session): Promise<void> {
    await consumer.connect();
    await consumer.subscribe({ topics: [...this.options.topics], fromBeginning: true });
    await consumer.run({ eachBatchAutoResolve: false, eachBatch: this.options.onBatch });
  }

  #checkSigns({ end }: Session): void {
    const silentMs = performance.now() - this.#lastSignAt;
    const limitMs = Math.max(3 * this.options.sessionTimeoutMs, rebalanceTimeoutMs + 15_000);
    if (silentMs > limitMs) end(new Error(`no sign of life from the consumer for ${Math.round(silentMs)} ms`));
  }

  #report(reason: unknown, failures: number): void {
    const { log, groupId, topics } = this.options;
    log[failures === 1 ? 'warn' : 'debug']({ err: reason, groupId, topics, failures }, 'kafka.unreachable');
  }
}
