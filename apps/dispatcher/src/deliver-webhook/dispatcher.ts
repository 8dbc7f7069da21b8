import { setMaxListeners } from 'node:events';
import type { BeforeApplicationShutdown, OnApplicationBootstrap } from '@nestjs/common';
import type { Logger } from 'pino';
import { endsWithin, type Loop, pause } from '#libs/pace';
import type { ClaimedDelivery, DeliveryClaim, DeliveryClaimRequest } from '#libs/persistence';
import { graceOf, reportedLoop } from '#libs/process';
import { metrics } from '../metrics.js';
import type { EndpointPace } from './endpoint-pace.js';
import { Round } from './round.js';
import { Slots } from './slots.js';

/** What a dispatcher works with; times in milliseconds. */
export interface DispatcherOptions {
  readonly claim: (request: DeliveryClaimRequest) => Promise<DeliveryClaim>;
  /** Makes one attempt; never rejects. `leaseEndsAtMs` is on the monotonic clock. */
  readonly deliver: (claimed: ClaimedDelivery, leaseEndsAtMs: number, signal: AbortSignal) => Promise<void>;
  readonly pace: EndpointPace;
  /** Deliveries held at once. */
  readonly slots: number;
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

/** Most in flight at one endpoint, over all dispatchers: of most, of those that answer within 250 ms, and of what has been due for over a minute. */
const caps = { endpointCap: 5, quickCap: 32, backlogCap: 3 };

/** While more than so many begin in 100 ms, a claim follows the one before after so long at the earliest: then it takes several. */
const busy = { begun: 25, withinMs: 100, gapMs: 5 };

/** Claims in a row that others had come before; then the poll is soon enough. */
const mostContended = 3;

/**
 * Claims due deliveries into free slots and attempts them. Looks again at once when it is woken, or when a slot becomes free after something
 * was held back; by poll otherwise.
 */
export class Dispatcher implements OnApplicationBootstrap, BeforeApplicationShutdown {
  readonly #open = new Set<Promise<void>>();
  readonly #cutOff = new AbortController();
  readonly #slots: Slots;
  readonly #loop: Loop;
  readonly #round = new Round();
  #claimedAtMs = 0;
  /** How many began of late, the longer ago the less each counts. */
  #begun = 0;
  #isHeldBack = false;
  #contended = 0;
  #stopped: Promise<void> | undefined;

  constructor(private readonly options: DispatcherOptions) {
    const { slots, pollMs, log } = options;
    this.#slots = new Slots(slots);
    setMaxListeners(slots, this.#cutOff.signal);
    this.#loop = reportedLoop(log, 'deliver', { everyMs: pollMs, step: (signal) => this.#fill(signal) });
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

  async #fill(signal: AbortSignal): Promise<'again' | void> {
    const sinceMs = performance.now() - this.#claimedAtMs;
    if (this.#begun > busy.begun && sinceMs < busy.gapMs) await pause(busy.gapMs - sinceMs, signal);
    const { limit, shares } = this.#slots.free();
    this.#isHeldBack = limit === 0;
    if (limit === 0 || signal.aborted) return;
    const { isHeldBack, isContended, resumeAfter, deliveries } = await this.#claim({ limit, shares });
    const isFull = deliveries.length === limit;
    this.#isHeldBack = isHeldBack || isFull;
    this.#contended = isContended ? this.#contended + 1 : 0;
    const isRoundOver = this.#round.next(resumeAfter, isFull);
    if (!isRoundOver || (isContended && this.#contended < mostContended)) return 'again';
  }

  async #claim(free: Pick<DeliveryClaimRequest, 'limit' | 'shares'>): Promise<DeliveryClaim> {
    const { timeoutMs, claim, pace } = this.options;
    const leaseMs = timeoutMs + leaseMarginMs;
    const now = performance.now();
    this.#begun *= Math.exp((this.#claimedAtMs - now) / busy.withinMs);
    this.#claimedAtMs = now;
    const leaseEndsAtMs = now + leaseMs;
    const paces = { quick: pace.quick(), slow: pace.slow() };
    const claimed = await claim({ ...free, ...caps, ...paces, leaseMs, resumeAfter: this.#round.resumeAfter });
    this.#begun += claimed.deliveries.length;
    for (const delivery of claimed.deliveries) this.#begin(delivery, leaseEndsAtMs);
    return claimed;
  }

  #begin(claimed: ClaimedDelivery, leaseEndsAtMs: number): void {
    const { lane, isTakenOver } = claimed;
    if (isTakenOver) metrics.leasesExpired.inc();
    const work = this.options.deliver(claimed, leaseEndsAtMs, this.#cutOff.signal).finally(() => {
      this.#open.delete(work);
      this.#slots.giveBack(lane);
      metrics.open.dec({ lane });
      if (this.#isHeldBack) this.wake();
    });
    this.#open.add(work);
    this.#slots.take(lane);
    metrics.open.inc({ lane });
  }
}
