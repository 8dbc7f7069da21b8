import { type AttemptOutcome, type DeliveryState, retryScheduleMs } from '#libs/domain';
import type { Settled } from '../claims/settled.js';
import type { Database, Queryable } from '../database/database.js';
import { claimDeliveries } from './claim-deliveries.sql.js';
import { type ClaimedDelivery, claimedOf, type ClaimedRow, type DeliveryLane } from './claimed-delivery.js';
import {
  closeDeliveries,
  freeDeliveries,
  lockIdleEndpoints,
  readDeliveryClaims,
  restEndpoints,
  settleDeliveries,
} from './delivery-queue.sql.js';

/** What a sender can take now. */
export interface DeliveryClaimRequest {
  /** How many deliveries at most. */
  readonly limit: number;
  /** How many of these at most of this lane and those after it; the limit where there is none. */
  readonly shares?: Readonly<Partial<Record<Exclude<DeliveryLane, 'quick'>, number>>>;
  readonly leaseMs: number;
  /** Most deliveries in flight at one endpoint, counted over all senders; two that claim at once may exceed it by a few. */
  readonly endpointCap: number;
  /** The same for endpoints that answer quickly; `endpointCap` when left out. */
  readonly quickCap?: number;
  /** Most in flight at one endpoint of what has been due for more than a minute; `endpointCap` when left out. */
  readonly backlogCap?: number;
  /** Endpoints that are known to answer quickly, and such as answer slowly. */
  readonly quick?: readonly string[];
  readonly slow?: readonly string[];
  /** Looks at the endpoints after this one first. */
  readonly resumeAfter?: string | null;
}

/** What a claim took, and whether to look again. */
export interface DeliveryClaim {
  readonly deliveries: readonly ClaimedDelivery[];
  /** More endpoints have something due than one claim looks at: go on after this one. `null` when it saw all. */
  readonly resumeAfter: string | null;
  /** Endpoints have more that is due than may be in flight. */
  readonly isHeldBack: boolean;
  /** Others took what this one was about to. */
  readonly isContended: boolean;
}

/** What becomes of a delivery after an attempt. Only a pending one can have an attempt that the schedule does not count. */
export type NextOfDelivery =
  | { readonly state: 'delivered' | 'exhausted' }
  | { readonly state: 'pending'; readonly delayMs: number; readonly isUncounted?: boolean };

/** The end of an attempt. */
export interface DeliverySettlement {
  readonly deliveryId: string;
  readonly claim: number;
  readonly outcome: AttemptOutcome;
  readonly durationMs: number;
  readonly statusCode: number | null;
  readonly responseBody: string | null;
  readonly next: NextOfDelivery;
}

/** What became of a settlement, and whether its endpoint is healthy and its last attempt did not fail; of a superseded one nobody asks. */
export interface SettledDelivery {
  readonly settled: Settled;
  readonly isEndpointWell: boolean;
}

/** How many deliveries a sweep ended or parked, by their state. */
export type SweptDeliveries = Readonly<Record<'cancelled' | 'skipped' | 'exhausted' | 'pending', number>>;

interface ClaimNow {
  readonly id: string;
  readonly claim: number;
  readonly state: DeliveryState;
  readonly is_well: boolean;
}

/** Of a schedule, attempts that are made again at once when they are lost. */
const retakenAtOnce = 2;
const waitsSeconds = retryScheduleMs.slice(1).map((delayMs) => delayMs / 1_000);
const noEndpoint = '00000000-0000-0000-0000-000000000000';

/** Deliveries as work to be done. Every write of a sender names its claim and says whether that claim held. */
export class DeliveryQueue {
  constructor(private readonly database: Database) {}

  /** Takes due deliveries, fairly between endpoints, and logs an attempt of each. */
  async claim(request: DeliveryClaimRequest): Promise<DeliveryClaim> {
    const rows = await this.database.query<ClaimedRow>(claimDeliveries, parametersOf(request));
    const deliveries = rows.map(claimedOf).filter((claimed) => claimed !== null);
    const [{ resume_after: resumeAfter, is_held_back: isHeldBack, chosen } = nothing] = rows;
    return { deliveries, resumeAfter, isHeldBack, isContended: deliveries.length < chosen };
  }

  /** Writes the ends of attempts and what becomes of the deliveries, each unless its claim is no longer the delivery's. Answers in their order. */
  async settle(at: Queryable, settlements: readonly DeliverySettlement[]): Promise<SettledDelivery[]> {
    const written = await at.query<{ id: string; is_well: boolean }>(settleDeliveries, columnsOf(settlements));
    const isWell = new Map(written.map((row) => [row.id, row.is_well]));
    const unwritten = settlements.filter(({ deliveryId }) => !isWell.has(deliveryId));
    const before = await this.settledBefore(at, unwritten);
    return settlements.map((settlement) => {
      const isEndpointWell = isWell.get(settlement.deliveryId);
      if (isEndpointWell !== undefined) return { settled: 'settled', isEndpointWell };
      const wasWell = before.get(settlement);
      if (wasWell !== undefined) return { settled: 'settled-before', isEndpointWell: wasWell };
      return { settled: 'superseded', isEndpointWell: true };
    });
  }

  /**
   * Ends, at most `limit` of each kind, the deliveries that nobody will send: of deleted endpoints (`cancelled`), of disabled ones (`skipped`),
   * and those whose last attempt was lost with its sender (`exhausted`). What was lost of failing endpoints is parked (`pending`).
   */
  async sweep(limit: number): Promise<SweptDeliveries> {
    const closed = await this.database.transaction((tx) =>
      tx.query<{ state: 'cancelled' | 'skipped' }>(closeDeliveries, [limit]),
    );
    const freed = await this.database.transaction((tx) =>
      tx.query<{ state: 'exhausted' | 'pending' }>(freeDeliveries, [limit, waitsSeconds, retakenAtOnce]),
    );
    const cancelled = closed.filter(({ state }) => state === 'cancelled').length;
    const exhausted = freed.filter(({ state }) => state === 'exhausted').length;
    return { cancelled, skipped: closed.length - cancelled, exhausted, pending: freed.length - exhausted };
  }

  /** Takes at most `limit` endpoints that have nothing due out of the claim's sight until they have; says how many. */
  async restEndpoints(limit: number): Promise<number> {
    return this.database.transaction(async (tx) => {
      const idle = await tx.query<{ endpoint_id: string }>(lockIdleEndpoints, [limit]);
      if (idle.length > 0) await tx.query(restEndpoints, [idle.map(({ endpoint_id: id }) => id)]);
      return idle.length;
    });
  }

  /**
   * Those whose repetition finds that they went through, ended under the same claim, and whether their endpoints are well. A statement of its own, for
   * it must see what is committed now.
   */
  private async settledBefore(at: Queryable, settlements: readonly DeliverySettlement[]) {
    const before = new Map<DeliverySettlement, boolean>();
    if (settlements.length === 0) return before;
    const rows = await at.query<ClaimNow>(readDeliveryClaims, [settlements.map(({ deliveryId }) => deliveryId)]);
    const now = new Map(rows.map((row) => [row.id, row]));
    for (const settlement of settlements) {
      const row = now.get(settlement.deliveryId);
      if (row?.claim === settlement.claim && row.state !== 'delivering') before.set(settlement, row.is_well);
    }
    return before;
  }
}

function parametersOf(request: DeliveryClaimRequest): unknown[] {
  const { limit, endpointCap } = request;
  const open = { shares: {}, quickCap: endpointCap, backlogCap: endpointCap, quick: [], slow: [], resumeAfter: null };
  const { leaseMs, resumeAfter, quickCap, quick, backlogCap, slow, shares } = { ...open, ...request };
  const { first, later, recovered } = { first: limit, later: limit, recovered: limit, ...shares };
  const caps = [endpointCap, quickCap, quick, backlogCap];
  return [limit, leaseMs, resumeAfter ?? noEndpoint, ...caps, retakenAtOnce, slow, first, later, recovered];
}

const nothing = { resume_after: null, is_held_back: false, chosen: 0 };

/** One array for each column. */
function columnsOf(settlements: readonly DeliverySettlement[]): unknown[] {
  const nexts = settlements.map(({ next }) => next);
  return [
    settlements.map(({ deliveryId }) => deliveryId),
    settlements.map(({ claim }) => claim),
    nexts.map(({ state }) => state),
    nexts.map((next) => (next.state === 'pending' ? next.delayMs : null)),
    nexts.map((next) => (next.state === 'pending' && next.isUncounted === true ? 1 : 0)),
    settlements.map(({ outcome }) => outcome),
    settlements.map(({ durationMs }) => durationMs),
    settlements.map(({ statusCode }) => statusCode),
    settlements.map(({ responseBody }) => responseBody),
  ];
}
