import type { Logger } from 'pino';
import { endpointEvent } from '#libs/domain';
import type { Announcer } from '#libs/messaging';
import {
  type ClaimedDelivery,
  type Database,
  type DeliveryQueue,
  type DeliverySettlement,
  type EndpointStore,
  type EventStore,
  type OutboxRow,
  repeatWhileUnknown,
  type Settled,
} from '#libs/persistence';
import { logged } from './logged.js';

/** What settling works with. */
export interface SettleDeliveryOptions {
  readonly database: Database;
  readonly queue: DeliveryQueue;
  readonly endpoints: EndpointStore;
  readonly events: EventStore;
  readonly announcer: Announcer;
  readonly log: Logger;
}

interface Written {
  readonly outcome: Settled;
  readonly announced: readonly OutboxRow[];
}

/** Records the end of an attempt, under the claim it was made under and no other. */
export class SettleDelivery {
  constructor(private readonly options: SettleDeliveryOptions) {}

  /**
   * Settles; a `gone` endpoint is disabled and its account told in the same transaction. Repeated while Postgres is away and the lease holds.
   *
   * @param leaseEndsAtMs on the monotonic clock
   * @throws the last error, when the lease ended first, or on a defect; the delivery is then claimed again after its lease
   */
  async settle(claimed: ClaimedDelivery, end: DeliverySettlement, leaseEndsAtMs: number): Promise<Settled> {
    const { announcer, log } = this.options;
    const { outcome, announced } = await repeatWhileUnknown(() => this.#write(claimed, end), {
      until: AbortSignal.timeout(Math.max(0, Math.ceil(leaseEndsAtMs - performance.now()))),
      onError: (error) => log.warn({ err: error, ...logged(claimed) }, 'delivery.settle-repeated'),
    });
    if (announced.length > 0) announcer.announce(announced);
    return outcome;
  }

  async #write({ endpointId }: ClaimedDelivery, end: DeliverySettlement): Promise<Written> {
    const { database, queue, endpoints, events } = this.options;
    if (end.outcome !== 'gone') return { outcome: await queue.settle(database, end), announced: [] };
    return database.transaction(async (tx) => {
      const outcome = await queue.settle(tx, end);
      const disabled = outcome === 'settled' ? await endpoints.disable(tx, endpointId, 'gone') : null;
      if (disabled === null) return { outcome, announced: [] };
      const { accountId, url, eventId, sequence, failingSince, disabledAt: occurredAt } = disabled;
      const transition = {
        url,
        eventId,
        sequence,
        failingSince,
        occurredAt,
        reason: 'gone',
        state: 'disabled',
      } as const;
      const event = endpointEvent({ type: 'endpoint.disabled', endpointId, ...transition });
      const subject = { endpointId, sequence };
      return { outcome, announced: await events.record(tx, accountId, [{ event, subject }]) };
    });
  }
}
