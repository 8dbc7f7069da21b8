import type { JobState } from '../job/job.js';

/** The states of a batch. The second is final, also for a batch that was cancelled. */
export const batchStates = ['processing', 'completed'] as const;

/** One of {@link batchStates}. */
export type BatchState = (typeof batchStates)[number];

/** A batch as users see it; its id is a UUID. */
export interface Batch {
  readonly id: string;
  readonly state: BatchState;
  /** How many of its jobs are in each state. */
  readonly counts: Readonly<Record<JobState, number>>;
  readonly items: number;
  readonly createdAt: Date;
  readonly finishedAt: Date | null;
  readonly expiresAt: Date | null;
}

/** A job of a batch that failed, as the event of the batch's end tells of it. */
export interface FailedItem {
  readonly jobId: string;
  readonly clientItemId: string;
  readonly code: string;
}
