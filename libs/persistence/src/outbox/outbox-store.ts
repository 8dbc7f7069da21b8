import type { Queryable } from '../database/database.js';
import { type OutboxRow, outboxRow } from './outbox-row.js';
import { claimOutbox, markOutboxDead, markOutboxPublished } from './outbox.sql.js';

interface PendingRow {
  readonly id: string;
  readonly topic: string;
  readonly key: string;
  readonly event_id: string;
  readonly type: string;
  readonly body: string;
  readonly occurred_at: Date;
}

/** The rows that wait for Kafka. */
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
}

function rowOf(row: PendingRow): OutboxRow {
  const { id, topic, key, type, body } = row;
  return outboxRow(id, topic, key, { id: row.event_id, type, occurredAt: row.occurred_at, body });
}
