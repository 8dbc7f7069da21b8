import type { Batch, JobState } from '#libs/domain';

/** A batch as a statement gives it; states that none of its jobs is in are left out of the counts. */
export interface BatchRow {
  readonly id: string;
  readonly items: number;
  readonly counts: Readonly<Partial<Record<JobState, number>>>;
  readonly created_at: Date;
  readonly finished_at: Date | null;
  readonly expires_at: Date | null;
}

const noJobs: Batch['counts'] = { queued: 0, processing: 0, completed: 0, failed: 0, cancelled: 0 };

/** The batch of a row. */
export function batchOf(row: BatchRow): Batch {
  return {
    id: row.id,
    state: row.finished_at === null ? 'processing' : 'completed',
    counts: { ...noJobs, ...row.counts },
    items: row.items,
    createdAt: row.created_at,
    finishedAt: row.finished_at,
    expiresAt: row.expires_at,
  };
}
