import type { AttemptOutcome, DeliveryState } from '#libs/domain';
import type { Queryable } from '../database/database.js';
import {
  findDelivery,
  listDeliveries,
  listDeliveriesOfEndpoint,
  listDeliveriesOfEvent,
} from './delivery-reader.sql.js';

/** One try to deliver an event. `outcome` is `unknown` and the rest `null` while it runs, and for good when its process died. */
export interface DeliveryAttempt {
  /** From 1 */
  readonly number: number;
  readonly startedAt: Date;
  readonly durationMs: number | null;
  readonly outcome: AttemptOutcome;
  readonly statusCode: number | null;
  readonly responseBody: string | null;
}

/** An event on its way to an endpoint; ids are UUIDs. */
export interface Delivery {
  readonly id: string;
  readonly eventId: string;
  readonly eventType: string;
  readonly endpointId: string;
  readonly state: DeliveryState;
  readonly attempts: readonly DeliveryAttempt[];
  readonly nextAttemptAt: Date | null;
  /** The delivery that this one repeats. */
  readonly redeliveryOf: string | null;
  readonly createdAt: Date;
}

/** Which deliveries: those that fit every member that is given, older than `before` (a delivery's UUID), at most `limit`. */
export interface DeliveryFilter {
  readonly eventId?: string | undefined;
  readonly endpointId?: string | undefined;
  readonly state?: DeliveryState | undefined;
  readonly before?: string | undefined;
  readonly limit: number;
}

interface DeliveryRow {
  readonly id: string;
  readonly event_id: string;
  readonly event_type: string;
  readonly endpoint_id: string;
  readonly state: DeliveryState;
  readonly attempts: readonly (Omit<DeliveryAttempt, 'startedAt'> & { readonly startedAt: string })[];
  readonly next_attempt_at: Date | null;
  readonly redelivery_of: string | null;
  readonly created_at: Date;
}

/** Reads deliveries with their attempts. */
export class DeliveryReader {
  constructor(private readonly database: Queryable) {}

  /** The account's delivery, `null` when it has none of that id. */
  async find(accountId: string, deliveryId: string): Promise<Delivery | null> {
    const [row] = await this.database.query<DeliveryRow>(findDelivery, [accountId, deliveryId]);
    return row === undefined ? null : deliveryOf(row);
  }

  /** One page of the account's deliveries, newest first. */
  async list(accountId: string, filter: DeliveryFilter): Promise<Delivery[]> {
    const rows = await this.rows(accountId, filter);
    return rows.map(deliveryOf);
  }

  private rows(accountId: string, filter: DeliveryFilter): Promise<DeliveryRow[]> {
    const page = [accountId, filter.before ?? null, filter.state ?? null, filter.limit];
    if (filter.eventId !== undefined) {
      return this.database.query(listDeliveriesOfEvent, [...page, filter.eventId, filter.endpointId ?? null]);
    }
    if (filter.endpointId !== undefined) {
      return this.database.query(listDeliveriesOfEndpoint, [...page, filter.endpointId]);
    }
    return this.database.query(listDeliveries, page);
  }
}

function deliveryOf(row: DeliveryRow): Delivery {
  return {
    id: row.id,
    eventId: row.event_id,
    eventType: row.event_type,
    endpointId: row.endpoint_id,
    state: row.state,
    attempts: row.attempts.map((attempt) => ({ ...attempt, startedAt: new Date(attempt.startedAt) })),
    nextAttemptAt: row.next_attempt_at,
    redeliveryOf: row.redelivery_of,
    createdAt: row.created_at,
  };
}
