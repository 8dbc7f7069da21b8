import type { Logger } from 'pino';
import type { Announcer } from '#libs/messaging';
import { AskTogether } from '#libs/pace';
import {
  type ClaimedDelivery,
  type Database,
  type DeliveryQueue,
  type DeliverySettlement,
  isUnavailable,
  type OutboxRow,
  repeatWhileUnknown,
  type Settled,
} from '#libs/persistence';
import { metrics } from '../metrics.js';
import type { ChangeEndpointHealth, RecordedAttempt } from './change-endpoint-health.js';
import { logged } from './logged.js';

/** What settling works with. */
export interface SettleDeliveryOptions {
  readonly database: Database;
  readonly queue: DeliveryQueue;
  readonly health: ChangeEndpointHealth;
  readonly announcer: Announcer;
  readonly log: Logger;
}

/** The end of an attempt of a claimed delivery. */
export interface EndedAttempt {
  readonly claimed: ClaimedDelivery;
  readonly end: DeliverySettlement;
  /** How long the receiver asked to wait, if it did. */
  readonly retryAfterMs: number | null;
}

/** A hanging one, which waits for the row of an endpoint perhaps, holds up the others for no longer. */
const patienceMs = 500;

/**
 * Records the ends of attempts, each under the claim it was made under and no other. Those that end together are written together; a lone one at once.
 * What changes nothing of its endpoint is one statement, and never waits for what does.
 */
export class SettleDelivery {
  readonly #quiet = new AskTogether<EndedAttempt, Settled | Error>(
    (ended) => apart(ended, (some) => this.#writeQuiet(some)),
    { patienceMs },
  );
  readonly #telling = new AskTogether<EndedAttempt, Settled | Error>(
    (ended) => apart(ended, (some) => this.#writeTelling(some)),
    { patienceMs },
  );

  constructor(private readonly options: SettleDeliveryOptions) {}

  /**
   * Settles, and moves the health of the endpoint on: in the same transaction, but after it where the endpoint was well when this was claimed
   * and the attempt was delivered. Repeated while Postgres is away and the lease holds.
   *
   * @param leaseEndsAtMs on the monotonic clock
   * @throws the last error, when the lease ended first, or on a defect; the delivery is then claimed again after its lease
   */
  async settle(ended: EndedAttempt, leaseEndsAtMs: number): Promise<Settled> {
    const { claimed, end } = ended;
    const together = end.outcome === 'delivered' && claimed.isEndpointWell ? this.#quiet : this.#telling;
    const write = async (): Promise<Settled> => {
      const settled = await together.ask(ended);
      if (settled instanceof Error) throw settled;
      return settled;
    };
    return repeatWhileUnknown(write, {
      until: AbortSignal.timeout(Math.max(0, Math.ceil(leaseEndsAtMs - performance.now()))),
      onError: (error) => this.options.log.warn({ err: error, ...logged(claimed) }, 'delivery.settle-repeated'),
    });
  }

  /** Deliveries to endpoints that were well when these were claimed; of one that is no longer the health is moved on after it. */
  async #writeQuiet(ended: readonly EndedAttempt[]): Promise<Settled[]> {
    const { queue, database, health } = this.options;
    const written = await queue.settle(database, endsOf(ended));
    const unwell = ended.filter((_, index) => written[index]?.isEndpointWell === false);
    if (unwell.length > 0) {
      const attempts = unwell.map(recordedAttempt);
      this.#announce(
        await database.transaction(async (tx) => health.change(tx, await health.lock(tx, attempts), attempts)),
      );
    }
    return written.map(({ settled }) => settled);
  }

  async #writeTelling(ended: readonly EndedAttempt[]): Promise<Settled[]> {
    const { queue, database, health } = this.options;
    const { outcomes, announced } = await database.transaction(async (tx) => {
      const locked = await health.lock(tx, ended.map(recordedAttempt));
      const written = await queue.settle(tx, endsOf(ended));
      const recorded = ended.filter((_, index) => written[index]?.settled === 'settled');
      return {
        outcomes: written.map(({ settled }) => settled),
        announced: await health.change(tx, locked, recorded.map(recordedAttempt)),
      };
    });
    this.#announce(announced);
    return outcomes;
  }

  #announce(notices: readonly OutboxRow[]): void {
    if (notices.length === 0) return;
    for (const { type } of notices) metrics.transitions.inc({ type });
    this.options.announcer.announce(notices);
  }
}

function endsOf(ended: readonly EndedAttempt[]): DeliverySettlement[] {
  return ended.map(({ end }) => end);
}

function recordedAttempt({ claimed, end, retryAfterMs }: EndedAttempt): RecordedAttempt {
  return { endpointId: claimed.endpointId, outcome: end.outcome, isProbe: claimed.isProbe, retryAfterMs };
}

/** Writes many together, and each for itself when that fails for a reason that may be one's alone. */
async function apart<Q, A>(
  many: readonly Q[],
  write: (some: readonly Q[]) => Promise<readonly A[]>,
): Promise<readonly (A | Error)[]> {
  try {
    return await write(many);
  } catch (error) {
    if (many.length === 1 || isUnavailable(error)) throw error;
    const each = await Promise.allSettled(many.map((one) => write([one])));
    return each.map((result) => (result.status === 'fulfilled' ? (result.value[0] as A) : (result.reason as Error)));
  }
}
