import type { Batch, FailedItem } from '#libs/domain';

/** How many failed items an ended batch is read with. */
export const mostFailedItems = 20;

/** A batch that has just ended, as a statement gives it. */
export interface EndedBatchRow {
  readonly id: string;
  readonly items: number;
  readonly created_at: Date;
  readonly finished_at: Date;
  readonly expires_at: Date;
  readonly counts: Partial<Batch['counts']>;
  readonly failed_items: readonly FailedItem[];
}

const noJobs = { queued: 0, processing: 0, completed: 0, failed: 0, cancelled: 0 };

/** The batch of a row, and the first of its failed items. */
export function endedBatchOf(row: EndedBatchRow): {
  readonly batch: Batch;
  readonly failedItems: readonly FailedItem[];
} {
  const { id, items } = row;
  const batch: Batch = {
    ...{ id, items, state: 'completed', counts: { ...noJobs, ...row.counts } },
    ...{ createdAt: row.created_at, finishedAt: row.finished_at, expiresAt: row.expires_at },
  };
  return { batch, failedItems: row.failed_items };
}
