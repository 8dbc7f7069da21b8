import type { JobState } from './job.js';

/** `completed` when every job of it has ended, however it did. */
export type BatchState = 'processing' | 'completed';

/** Several jobs that were accepted together. */
export interface Batch {
  readonly id: string;
  readonly object: 'batch';
  readonly state: BatchState;
  /** Jobs by state. */
  readonly counts: Readonly<Record<JobState, number>>;
  readonly items: number;
  readonly created_at: string;
  readonly finished_at: string | null;
  readonly expires_at: string | null;
}
