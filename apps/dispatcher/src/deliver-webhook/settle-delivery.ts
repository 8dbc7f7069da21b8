import { setTimeout as pause } from 'node:timers/promises';
import type { Logger } from 'pino';
import type { Announcer } from '#libs/messaging';
import {
  type ClaimedDelivery,
  type Database,
  type DeliveryQueue,
  type DeliverySettled,
  type DeliverySettlement,
  type EventStore,
  isLockTimeout,
  isRolledBack,
  isUnavailable,
  type OutboxRow,
} from '#libs/persistence';
import { endpointDisabledEvent } from './endpoint-disabled.js';

const firstPauseMs = 50;
const longestPauseMs = 2_000;

interface Settling {
  readonly settled: DeliverySettled;
  readonly announced: readonly OutboxRow[];
}

/** Records the end of an attempt, under the claim it was made under and no other. */
export class SettleDelivery {
  constructor(
    private readonly database: Database,
    private readonly queue: DeliveryQueue,
    private readonly events: EventStore,
    private readonly announcer: Announcer,
    private readonly log: Logger,
  ) {}

  /**
   * Settles; a `gone` endpoint is disabled and its account told in the same transaction. Repeated with back-off while Postgres is away and the lease
   * holds: a settlement whose answer was lost may have gone through, and the repetition then finds it so.
   *
   * @param leaseEndsAtMs on the monotonic clock
   * @throws the last error, when the lease ended first; the delivery is then claimed again after its lease
   */
  async settle(claimed: ClaimedDelivery, end: DeliverySettlement, leaseEndsAtMs: number): Promise<DeliverySettled> {
    for (let failures = 1; ; failures += 1) {
      try {
        const { settled, announced } = await this.once(claimed, end);
        if (announced.length > 0) this.announcer.announce(announced);
        return settled;
      } catch (error) {
        if (!isPassing(error) || performance.now() >= leaseEndsAtMs) throw error;
        this.log.warn({ err: error, failures }, 'delivery.settle-failed');
      }
      await pause(Math.min(firstPauseMs * 2 ** (failures - 1), longestPauseMs));
    }
  }

  private async once(claimed: ClaimedDelivery, end: DeliverySettlement): Promise<Settling> {
    if (end.outcome !== 'gone') return { settled: await this.queue.settle(this.database, end), announced: [] };
    return this.database.transaction(async (tx) => {
      const settled = await this.queue.settle(tx, end);
      const disabled = settled === 'settled' ? await this.queue.disableEndpoint(tx, claimed.endpointId) : null;
      if (disabled === null) return { settled, announced: [] };
      const event = endpointDisabledEvent(claimed.endpointId, disabled, 'gone');
      const { accountId, sequence } = disabled;
      const subject = { accountId, endpointId: claimed.endpointId, sequence };
      return { settled, announced: [await this.events.record(tx, event, subject)] };
    });
  }
}

function isPassing(error: unknown): boolean {
  return isUnavailable(error) || isRolledBack(error) || isLockTimeout(error);
}
