import type { Queryable } from '../database/database.js';
import { findEvent, listEventsInOrder, listNewestEvents, listUndeliveredEvents } from './event-reader.sql.js';

/** Where a reader in ascending order stands: after this event. */
export interface EventCursor {
  /** Decimal digits */
  readonly transactionId: string;
  /** UUID */
  readonly id: string;
}

/** An event as it was stored; its cursor is its id with its transaction id. */
export interface StoredEvent extends EventCursor {
  readonly type: string;
  readonly occurredAt: Date;
  /** The JSON text that is sent, byte for byte. */
  readonly body: string;
}

/**
 * Which events. `desc` gives the newest by id, before an event id. `asc` is for polling: it gives only events that nothing can be committed
 * before any more, so going on after the last one skips none; events of running transactions, and those after them, come later.
 */
export type EventPage =
  | { readonly order: 'desc'; readonly before?: string | undefined; readonly limit: number }
  | { readonly order: 'asc'; readonly after?: EventCursor | undefined; readonly limit: number };

/** Which events of those that were not delivered: older than `before` (an event's UUID), newest first. */
export interface UndeliveredPage {
  /** Only those that this endpoint (a UUID) selects and that were not delivered to it. */
  readonly endpointId?: string | undefined;
  readonly before?: string | undefined;
  /** How many at most ... */
  readonly limit: number;
  /** ... of how many events that it looks at. */
  readonly looksAt: number;
}

/** Some of the undelivered events, and before which event (a UUID) there may be more, `null` when there are none. */
export interface UndeliveredEvents {
  readonly events: readonly StoredEvent[];
  readonly moreBefore: string | null;
}

interface EventRow {
  readonly id: string;
  readonly type: string;
  readonly occurred_at: Date;
  readonly body: string;
  readonly transaction_id: string;
}

/** Reads events. */
export class EventReader {
  constructor(private readonly database: Queryable) {}

  /** The account's event, `null` when it has none of that id. */
  async find(accountId: string, eventId: string): Promise<StoredEvent | null> {
    const [row] = await this.database.query<EventRow>(findEvent, [accountId, eventId]);
    return row === undefined ? null : eventOf(row);
  }

  /** One page of the account's events. */
  async list(accountId: string, page: EventPage): Promise<StoredEvent[]> {
    const rows = await this.rows(accountId, page);
    return rows.map(eventOf);
  }

  /** Undelivered events: the cost of a page does not depend on how few there are, so it may have less than it could. */
  async listUndelivered(accountId: string, page: UndeliveredPage): Promise<UndeliveredEvents> {
    const values = [accountId, page.before ?? null, page.limit, page.looksAt, page.endpointId ?? null];
    const rows = await this.database.query<UndeliveredRow>(listUndeliveredEvents, values);
    const events = rows.filter(isEvent).map(eventOf);
    const moreBefore = events.length === page.limit ? (events.at(-1)?.id ?? null) : (rows[0]?.more_before ?? null);
    return { events, moreBefore };
  }

  private rows(accountId: string, page: EventPage): Promise<EventRow[]> {
    if (page.order === 'desc') {
      return this.database.query(listNewestEvents, [accountId, page.before ?? null, page.limit]);
    }
    const { transactionId = null, id = null } = page.after ?? {};
    return this.database.query(listEventsInOrder, [accountId, transactionId, id, page.limit]);
  }
}

/** Without an event: nothing was found among those looked at. */
type UndeliveredRow = (EventRow | { readonly id: null }) & { readonly more_before: string | null };

function isEvent(row: UndeliveredRow): row is EventRow & UndeliveredRow {
  return row.id !== null;
}

function eventOf(row: EventRow): StoredEvent {
  return {
    id: row.id,
    type: row.type,
    occurredAt: row.occurred_at,
    body: row.body,
    transactionId: row.transaction_id,
  };
}
