import { typeId } from '#libs/domain';
import type { Queryable } from '../database/database.js';
import type { OutboxRow } from './outbox-route.js';
import { claimOutbox, markOutboxDead, markOutboxPublished, measureOutbox } from './outbox.sql.js';

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
    return rows.map(recordOf).sort((a, b) => Number(a.id) - Number(b.id));
  }

  async markPublished(ids: readonly string[]): Promise<void> {
    await this.database.query(markOutboxPublished, [ids]);
  }

  async markDead(id: string, reason: string): Promise<void> {
    await this.database.query(markOutboxDead, [id, reason]);
  }

  /** How many rows wait, and the age of the oldest in seconds. */
  async backlog(): Promise<{ readonly pending: number; readonly oldestSeconds: number }> {
    const [row] = await this.database.query<{ pending: number; oldest_seconds: number }>(measureOutbox);
    return { pending: row?.pending ?? 0, oldestSeconds: row?.oldest_seconds ?? 0 };
  }
}

function recordOf(row: PendingRow): OutboxRow {
  return {
    id: row.id,
    topic: row.topic,
    key: row.key,
    eventId: typeId('evt', row.event_id),
    type: row.type,
    occurredAt: row.occurred_at.toISOString(),
    body: row.body,
  };
}
