import { setMaxListeners } from 'node:events';
import { setTimeout as pause } from 'node:timers/promises';
import type { BeforeApplicationShutdown, OnApplicationBootstrap } from '@nestjs/common';
import type { Logger } from 'pino';
import type { ClaimedDelivery, DeliveryClaimRequest } from '#libs/persistence';
import { metrics } from '../metrics.js';
import { Bell } from './bell.js';

/** What a dispatcher works with; times in milliseconds. */
export interface DispatcherOptions {
  readonly claim: (request: DeliveryClaimRequest) => Promise<readonly ClaimedDelivery[]>;
  /** Makes one attempt; never rejects. `leaseEndsAtMs` is on the monotonic clock. */
  readonly deliver: (claimed: ClaimedDelivery, leaseEndsAtMs: number, signal: AbortSignal) => Promise<void>;
  /** Deliveries held at once. */
  readonly slots: number;
  /** Most deliveries in flight at one endpoint, over all dispatchers. */
  readonly endpointCap: number;
  readonly timeoutMs: number;
  readonly leaseMs: number;
  readonly pollMs: number;
  /** How long `stop` may take. */
  readonly graceMs: number;
  /** Runs at the end of `stop`. */
  readonly close: () => Promise<void>;
  readonly log: Logger;
}

/** What a lease must leave between the longest request and its end: for claiming, signing and settling. */
export const leaseMarginMs = 15_000;

const longestBackOffMs = 5_000;
const shutdownMarginMs = 3_000;

/**
 * Claims due deliveries into free slots and attempts them. Looks again at once when it is woken or a slot becomes free (a finished delivery may
 * have held back another one of its endpoint), by poll otherwise.
 */
export class Dispatcher implements OnApplicationBootstrap, BeforeApplicationShutdown {
  readonly #open = new Set<Promise<void>>();
  readonly #bell = new Bell();
  readonly #cutOff = new AbortController();
  readonly #stopping = new AbortController();
  #loop: Promise<void> | undefined;
  #stopped: Promise<void> | undefined;
  #failures = 0;

  /** @throws when the lease is too short for at most one live request per delivery */
  constructor(private readonly options: DispatcherOptions) {
    const { leaseMs, timeoutMs, slots } = options;
    setMaxListeners(slots, this.#cutOff.signal);
    if (leaseMs < timeoutMs + leaseMarginMs)
      throw new Error(
        `the lease of ${leaseMs} ms is shorter than the timeout of ${timeoutMs} ms + ${leaseMarginMs} ms`,
      );
  }

  onApplicationBootstrap(): void {
    this.start();
  }

  beforeApplicationShutdown(): Promise<void> {
    return this.stop();
  }

  /** Starts in the background, whether Postgres is there or not. */
  start(): void {
    this.#loop ??= this.#run();
  }

  /** Says that there may be something due. Never waits. */
  wake(): void {
    this.#bell.ring();
  }

  /**
   * Claims nothing more and lets open requests finish for the grace period less a margin; the rest is cut off and recorded. The same promise
   * for every call.
   */
  stop(): Promise<void> {
    this.#stopped ??= this.#stop();
    return this.#stopped;
  }

  async #stop(): Promise<void> {
    const { graceMs, close, log } = this.options;
    this.#stopping.abort();
    this.wake();
    const marginMs = Math.min(shutdownMarginMs, graceMs / 2);
    await this.#finishWithin(graceMs - marginMs);
    this.#cutOff.abort();
    await this.#finishWithin(marginMs);
    if (this.#open.size > 0) log.error({ deliveries: this.#open.size }, 'deliveries.left-unsettled');
    await close();
  }

  async #finishWithin(ms: number): Promise<void> {
    const timeUp = new AbortController();
    const finished = async (): Promise<void> => {
      await this.#loop;
      await Promise.all(this.#open);
    };
    await Promise.race([finished(), untilAborted(ms, timeUp.signal)]);
    timeUp.abort();
  }

  async #run(): Promise<void> {
    const { signal } = this.#stopping;
    while (!signal.aborted) {
      const isFilled = await this.#fill();
      if (isFilled) await this.#bell.sleep(this.options.pollMs);
      else await untilAborted(this.#backOffMs(), signal);
    }
  }

  /** @returns whether Postgres answered */
  async #fill(): Promise<boolean> {
    const { slots, endpointCap, leaseMs, claim, log } = this.options;
    const limit = slots - this.#open.size;
    if (limit === 0) return true;
    const leaseEndsAtMs = performance.now() + leaseMs;
    try {
      const claimed = await claim({ limit, leaseMs, endpointCap });
      for (const delivery of claimed) this.#begin(delivery, leaseEndsAtMs);
      this.#failures = 0;
      return true;
    } catch (error) {
      this.#failures += 1;
      log[this.#failures === 1 ? 'warn' : 'debug']({ err: error, failures: this.#failures }, 'deliveries.not-claimed');
      return false;
    }
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

  #backOffMs(): number {
    return Math.min(this.options.pollMs * 2 ** (this.#failures - 1), longestBackOffMs);
  }
}

async function untilAborted(ms: number, signal: AbortSignal): Promise<void> {
  await pause(ms, undefined, { signal }).catch(() => undefined);
}
