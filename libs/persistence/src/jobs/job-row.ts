import type { Job, JobError, JobInput, JobOutput, JobProgress, JobState } from '#libs/domain';

/** A job as a statement gives it. */
export interface JobRow {
  readonly id: string;
  readonly operation: string;
  readonly state: JobState;
  readonly attempt: number;
  readonly idempotency_key: string | null;
  readonly progress_done: number;
  readonly progress_total: number;
  readonly progress_unit: JobProgress['unit'];
  readonly metadata: Readonly<Record<string, string>>;
  readonly batch_id: string | null;
  readonly client_item_id: string | null;
  readonly created_at: Date;
  readonly started_at: Date | null;
  readonly finished_at: Date | null;
  readonly expires_at: Date | null;
  readonly warnings: readonly string[];
  /** Older rows have no limit. */
  readonly error: (Omit<JobError, 'limit'> & Partial<Pick<JobError, 'limit'>>) | null;
  readonly inputs: readonly JobInput[];
  readonly outputs: readonly (Omit<JobOutput, 'expiresAt'> & { readonly expiresAt: string })[];
}

/** The job of a row. */
export function jobOf(row: JobRow): Job {
  return {
    id: row.id,
    operation: row.operation,
    state: row.state,
    attempt: row.attempt,
    idempotencyKey: row.idempotency_key,
    progress: { done: row.progress_done, total: row.progress_total, unit: row.progress_unit },
    metadata: row.metadata,
    batchId: row.batch_id,
    clientItemId: row.client_item_id,
    createdAt: row.created_at,
    startedAt: row.started_at,
    finishedAt: row.finished_at,
    expiresAt: row.expires_at,
    inputs: row.inputs,
    outputs: row.outputs.map((output) => ({ ...output, expiresAt: new Date(output.expiresAt) })),
    warnings: row.warnings,
    error: row.error === null ? null : { ...row.error, limit: row.error.limit ?? null },
  };
}
