import { endsWithin, Loop } from '#libs/pace';
import type { Logger } from 'pino';
import type { Announcer } from './announcer.js';
import type { KafkaPublisher } from './kafka-publisher.js';
import type { OutboxRecord } from './outbox-record.js';
import type { OutboxSource } from './outbox-source.js';
import { halves, requestBatches } from './request-batches.js';

/** Counts for metrics. */
export interface RelayObserver {
  published?(records: number): void;
  /** One try failed: Kafka unreachable or silent, or the outbox not readable. */
  failed?(): void;
  dead?(): void;
}

/** What a relay works with; times in milliseconds. */
export interface OutboxRelayOptions {
  readonly source: OutboxSource;
  readonly publisher: KafkaPublisher;
  readonly log: Logger;
  /** How often to look without being woken (500). */
  readonly pollMs?: number;
  /** Records per claim (200). */
  readonly claimSize?: number;
  /** How long the source keeps a claim (10 000). */
  readonly claimMs?: number;
  /** Runs after Kafka's acknowledgement, before the rows are marked. */
  readonly afterPublish?: () => Promise<void>;
  readonly observe?: RelayObserver;
}

interface Claim {
  readonly records: readonly OutboxRecord[];
  /** On the monotonic clock, before the claim was asked for, so never too late. */
  readonly claimedAt: number;
}

interface Round {
  readonly published: OutboxRecord[];
  readonly unknown: OutboxRecord[];
  readonly refused: { readonly record: OutboxRecord; readonly reason: string }[];
  error?: Error;
}

const maxRequestBytes = 512 * 1024;
const backOff = { firstMs: 100, maxMs: 1_500 };

/**
 * Moves outbox records to Kafka: claim, publish (one request in flight), mark. At least once: an error on the way means "unknown", and the
 * records are sent again, by this relay while its claim holds, by any other afterwards. A record that Kafka refuses for good is
 * marked dead and holds up nothing. While Kafka is unreachable nothing is claimed.
 */
export class OutboxRelay implements Announcer {
  readonly #loop: Loop;
  #held: Claim | undefined;
  #failures = 0;

  constructor(private readonly options: OutboxRelayOptions) {
    this.#loop = new Loop({
      everyMs: options.pollMs ?? 500,
      backOff,
      step: () => this.#relay(),
      onError: (error, failures) => this.#failed(error, failures),
    });
  }

  /** Wakes the relay; which records were written does not matter to it. */
  announce(): void {
    this.#loop.wake();
  }

  /** Whether Kafka is connected right now. */
  isConnected(): boolean {
    return this.options.publisher.isConnected();
  }

  /** Starts relaying in the background; returns at once, whether Kafka is there or not. */
  start(): void {
    this.#loop.start();
  }

  /** Finishes the records under way, then closes the publisher; waits at most `withinMs` for each. */
  async stop(withinMs = 5_000): Promise<void> {
    await endsWithin(this.#loop.stop(), withinMs);
    await endsWithin(this.options.publisher.close(), withinMs);
  }

  async #relay(): Promise<'again' | void> {
    await this.options.publisher.connect();
    const wasHeld = this.#held !== undefined;
    const claim = await this.#nextClaim();
    const round = await this.#publish(claim);
    this.#held = round.unknown.length > 0 ? { ...claim, records: round.unknown } : undefined;
    await this.#settle(round);
    if (round.error) throw round.error;
    this.#succeeded();
    if (wasHeld || claim.records.length >= this.#claimSize) return 'again';
  }

  async #nextClaim(): Promise<Claim> {
    const held = this.#held;
    this.#held = undefined;
    if (held && this.#timeLeft(held)) return held;
    const claimedAt = performance.now();
    return { claimedAt, records: await this.options.source.claim(this.#claimSize) };
  }

  async #publish(claim: Claim): Promise<Round> {
    const round: Round = { published: [], unknown: [], refused: [] };
    const queue = requestBatches(claim.records, maxRequestBytes);
    const failedTopics = new Set<string>();
    for (let batch = queue.shift(); batch; batch = queue.shift()) {
      if (failedTopics.has(batch.topic) || !this.#timeLeft(claim)) {
        round.unknown.push(...batch.records);
        continue;
      }
      const outcome = await this.options.publisher.publish(batch.topic, batch.records);
      if (outcome.kind === 'published') {
        round.published.push(...batch.records);
      } else if (outcome.kind === 'unknown') {
        failedTopics.add(batch.topic);
        round.unknown.push(...batch.records);
        round.error = outcome.error;
      } else if (batch.records.length > 1) {
        queue.unshift(...halves(batch));
      } else {
        round.refused.push(...batch.records.map((record) => ({ record, reason: outcome.reason })));
      }
    }
    return round;
  }

  async #settle({ published, refused }: Round): Promise<void> {
    const { source, log, observe, afterPublish } = this.options;
    if (published.length > 0) {
      await afterPublish?.();
      await source.markPublished(published.map(({ id }) => id));
      observe?.published?.(published.length);
    }
    for (const { record, reason } of refused) {
      await source.markDead(record.id, reason);
      observe?.dead?.();
      const { id, eventId, type, topic, key, body } = record;
      log.error({ outboxId: id, eventId, type, topic, key, bytes: Buffer.byteLength(body), reason }, 'outbox.refused');
    }
  }

  get #claimSize(): number {
    return this.options.claimSize ?? 200;
  }

  #timeLeft({ claimedAt }: Claim): boolean {
    const { claimMs = 10_000, publisher } = this.options;
    return performance.now() - claimedAt <= claimMs - publisher.publishTimeoutMs;
  }

  #failed(error: unknown, failures: number): void {
    this.#failures = failures;
    this.options.observe?.failed?.();
    this.options.log[failures === 1 ? 'warn' : 'debug']({ err: error, failures }, 'outbox.not-published');
  }

  #succeeded(): void {
    if (this.#failures > 0) this.options.log.info({ failures: this.#failures }, 'outbox.resumed');
    this.#failures = 0;
  }
}
