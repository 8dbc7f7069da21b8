import { typeId } from '#libs/domain';
import type { Queryable } from '../database/database.js';
import { type OutboxRow, outboxRow } from './outbox-row.js';
import { claimOutbox, listDeadOutbox, markOutboxDead, markOutboxPublished, retryDeadOutbox } from './outbox.sql.js';

interface PendingRow {
  readonly id: string;
  readonly topic: string;
  readonly key: string;
  readonly event_id: string;
  readonly type: string;
  readonly body: string;
  readonly occurred_at: Date;
}

interface RefusedRow extends Omit<PendingRow, 'body' | 'occurred_at'> {
  readonly bytes: number;
  readonly reason: string;
  readonly settled_at: Date;
}

/** A row that Kafka refused for good. */
export interface DeadOutboxRow {
  readonly id: string;
  readonly topic: string;
  readonly key: string;
  /** TypeID */
  readonly eventId: string;
  readonly type: string;
  readonly bodyBytes: number;
  readonly reason: string;
  readonly refusedAt: Date;
}

/** The rows that wait for Kafka, and those that it refused. */
export class OutboxStore {
  constructor(private readonly database: Queryable) {}

  /** Takes at most `limit` rows for 10 s, in the order of their ids. */
  async claim(limit: number): Promise<readonly OutboxRow[]> {
    const rows = await this.database.query<PendingRow>(claimOutbox, [limit]);
    return rows.map(rowOf).sort((a, b) => Number(a.id) - Number(b.id));
  }

  async markPublished(ids: readonly string[]): Promise<void> {
    await this.database.query(markOutboxPublished, [ids]);
  }

  async markDead(id: string, reason: string): Promise<void> {
    await this.database.query(markOutboxDead, [id, reason]);
  }

  /** At most `limit` of the refused rows, oldest first. */
  async listDead(limit: number): Promise<readonly DeadOutboxRow[]> {
    const rows = await this.database.query<RefusedRow>(listDeadOutbox, [limit]);
    return rows.map(({ id, topic, key, type, bytes, reason, ...row }) => ({
      ...{ id, topic, key, type, reason, bodyBytes: bytes },
      eventId: typeId('evt', row.event_id),
      refusedAt: row.settled_at,
    }));
  }

  /** Gives refused rows to the relays once more. @returns the ids of those that there were */
  async retryDead(ids: readonly string[] | 'all'): Promise<readonly string[]> {
    const rows = await this.database.query<{ id: string }>(retryDeadOutbox, [ids === 'all' ? null : ids]);
    return rows.map(({ id }) => id);
  }
}

function rowOf(row: PendingRow): OutboxRow {
  const { id, topic, key, type, body } = row;
  return outboxRow(id, topic, key, { id: row.event_id, type, occurredAt: row.occurred_at, body });
}
