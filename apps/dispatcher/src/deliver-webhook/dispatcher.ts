import { setMaxListeners } from 'node:events';
import type { BeforeApplicationShutdown, OnApplicationBootstrap } from '@nestjs/common';
import type { Logger } from 'pino';
import { endsWithin, type Loop } from '#libs/pace';
import type { ClaimedDelivery, DeliveryClaimRequest } from '#libs/persistence';
import { graceOf, reportedLoop } from '#libs/process';
import { metrics } from '../metrics.js';

/** What a dispatcher works with; times in milliseconds. */
export interface DispatcherOptions {
  readonly claim: (request: DeliveryClaimRequest) => Promise<readonly ClaimedDelivery[]>;
  /** Makes one attempt; never rejects. `leaseEndsAtMs` is on the monotonic clock. */
  readonly deliver: (claimed: ClaimedDelivery, leaseEndsAtMs: number, signal: AbortSignal) => Promise<void>;
  /** Deliveries held at once. */
  readonly slots: number;
  /** Most deliveries in flight at one endpoint, over all dispatchers. */
  readonly endpointCap: number;
  /** Of one request; a lease outlasts it. */
  readonly timeoutMs: number;
  readonly pollMs: number;
  /** Of the whole process. */
  readonly graceMs: number;
  /** Runs at the end of `stop`. */
  readonly close: () => Promise<void>;
  readonly log: Logger;
}

/** What a lease leaves between the longest request and its end: for claiming, signing and settling. */
const leaseMarginMs = 15_000;

/**
 * Claims due deliveries into free slots and attempts them. Looks again at once when it is woken or a slot becomes free (a finished delivery may
 * have held back another one of its endpoint), by poll otherwise.
 */
export class Dispatcher implements OnApplicationBootstrap, BeforeApplicationShutdown {
  readonly #open = new Set<Promise<void>>();
  readonly #cutOff = new AbortController();
  readonly #loop: Loop;
  #stopped: Promise<void> | undefined;

  constructor(private readonly options: DispatcherOptions) {
    const { slots, pollMs, log } = options;
    setMaxListeners(slots, this.#cutOff.signal);
    this.#loop = reportedLoop(log, 'deliver', { everyMs: pollMs, step: () => this.#fill() });
  }

  onApplicationBootstrap(): void {
    this.start();
  }

  beforeApplicationShutdown(): Promise<void> {
    return this.stop();
  }

  /** Starts in the background, whether Postgres is there or not. */
  start(): void {
    this.#loop.start();
  }

  /** Says that there may be something due. Never waits. */
  wake(): void {
    this.#loop.wake();
  }

  /**
   * Claims nothing more and lets open requests finish within their part of the grace; the rest is cut off and recorded. The same promise for
   * every call.
   */
  stop(): Promise<void> {
    this.#stopped ??= this.#stop();
    return this.#stopped;
  }

  async #stop(): Promise<void> {
    const { graceMs, close, log } = this.options;
    const { drainMs, handBackMs } = graceOf(graceMs);
    const finished = this.#finish();
    if (!(await endsWithin(finished, drainMs))) {
      this.#cutOff.abort();
      await endsWithin(finished, handBackMs);
      if (this.#open.size > 0) log.error({ deliveries: this.#open.size }, 'deliveries.left-unsettled');
    }
    await close();
  }

  async #finish(): Promise<void> {
    await this.#loop.stop();
    await Promise.all(this.#open);
  }

  async #fill(): Promise<void> {
    const { slots, endpointCap, timeoutMs, claim } = this.options;
    const limit = slots - this.#open.size;
    if (limit === 0) return;
    const leaseMs = timeoutMs + leaseMarginMs;
    const leaseEndsAtMs = performance.now() + leaseMs;
    const claimed = await claim({ limit, leaseMs, endpointCap });
    for (const delivery of claimed) this.#begin(delivery, leaseEndsAtMs);
  }

  #begin(claimed: ClaimedDelivery, leaseEndsAtMs: number): void {
    const work = this.options.deliver(claimed, leaseEndsAtMs, this.#cutOff.signal).finally(() => {
      this.#open.delete(work);
      metrics.open.dec();
      this.wake();
    });
    this.#open.add(work);
    metrics.open.inc();
  }
}
