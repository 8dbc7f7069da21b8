import { type AttemptOutcome, type DeliveryState, retryScheduleMs } from '#libs/domain';
import type { Settled } from '../claims/settled.js';
import type { Queryable } from '../database/database.js';
import {
  claimDeliveries,
  closeDeliveries,
  exhaustDeliveries,
  readDeliveryClaim,
  settleDelivery,
} from './delivery-queue.sql.js';

/** What a sender can take now. */
export interface DeliveryClaimRequest {
  /** How many deliveries at most. */
  readonly limit: number;
  readonly leaseMs: number;
  /** Most deliveries in flight at one endpoint (20 at most), counted over all senders; two that claim at once may exceed it by a few. */
  readonly endpointCap: number;
}

/** A delivery that this sender alone may attempt until its lease ends. Ids are UUIDs. */
export interface ClaimedDelivery {
  readonly id: string;
  readonly accountId: string;
  /** Fences every write of this attempt. */
  readonly claim: number;
  /** Number of this attempt, from 1. */
  readonly attempt: number;
  readonly eventId: string;
  readonly eventType: string;
  /** The text whose UTF-8 bytes are sent. */
  readonly body: string;
  readonly endpointId: string;
  readonly url: string;
  /** A JSON object of header values by name, sealed; `null` without headers. */
  readonly sealedHeaders: string | null;
  /** Every secret that signs now, newest first. */
  readonly sealedSecrets: readonly string[];
}

/** What becomes of a delivery after an attempt. */
export type NextOfDelivery =
  { readonly state: 'delivered' | 'exhausted' } | { readonly state: 'pending'; readonly delayMs: number };

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

/** How many deliveries a sweep ended, by their state. */
export type SweptDeliveries = Readonly<Record<'cancelled' | 'skipped' | 'exhausted', number>>;

interface ClaimedRow {
  readonly id: string;
  readonly account_id: string;
  readonly claim: number;
  readonly attempt: number;
  readonly event_id: string;
  readonly event_type: string;
  readonly body: string;
  readonly endpoint_id: string;
  readonly url: string;
  readonly sealed_headers: string | null;
  readonly sealed_secrets: readonly string[];
}

const mostAttempts = retryScheduleMs.length;

/** Deliveries as work to be done. Every write of a sender names its claim and says whether that claim held. */
export class DeliveryQueue {
  constructor(private readonly database: Queryable) {}

  /** Takes due deliveries, fairly between endpoints, and logs an attempt of each. */
  async claim({ limit, leaseMs, endpointCap }: DeliveryClaimRequest): Promise<readonly ClaimedDelivery[]> {
    const rows = await this.database.query<ClaimedRow>(claimDeliveries, [limit, leaseMs, endpointCap, mostAttempts]);
    return rows.map(claimedOf);
  }

  /** Writes the end of an attempt and what becomes of the delivery, unless the claim is no longer the delivery's. */
  async settle(at: Queryable, settlement: DeliverySettlement): Promise<Settled> {
    const { deliveryId, claim, next } = settlement;
    const written = await at.query(settleDelivery, [
      deliveryId,
      claim,
      next.state,
      next.state === 'pending' ? next.delayMs : null,
      settlement.outcome,
      settlement.durationMs,
      settlement.statusCode,
      settlement.responseBody,
    ]);
    if (written.length === 1) return 'settled';
    const [now] = await at.query<{ claim: number; state: DeliveryState }>(readDeliveryClaim, [deliveryId]);
    return now?.claim === claim && now.state !== 'delivering' ? 'settled-before' : 'superseded';
  }

  /**
   * Ends, at most `limit` of each kind, the deliveries that nobody will send: of deleted endpoints (`cancelled`), of disabled ones (`skipped`),
   * and those whose last attempt was lost with its sender (`exhausted`).
   */
  async sweep(limit: number): Promise<SweptDeliveries> {
    const closed = await this.database.query<{ state: 'cancelled' | 'skipped' }>(closeDeliveries, [limit]);
    const lost = await this.database.query(exhaustDeliveries, [limit, mostAttempts]);
    const cancelled = closed.filter(({ state }) => state === 'cancelled').length;
    return { cancelled, skipped: closed.length - cancelled, exhausted: lost.length };
  }
}

function claimedOf(row: ClaimedRow): ClaimedDelivery {
  return {
    id: row.id,
    accountId: row.account_id,
    claim: row.claim,
    attempt: row.attempt,
    eventId: row.event_id,
    eventType: row.event_type,
    body: row.body,
    endpointId: row.endpoint_id,
    url: row.url,
    sealedHeaders: row.sealed_headers,
    sealedSecrets: row.sealed_secrets,
  };
}
