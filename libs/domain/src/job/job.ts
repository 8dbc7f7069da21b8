/** The states of a job. The last three are final. */
export const jobStates = ['queued', 'processing', 'completed', 'failed', 'cancelled'] as const;

/** One of {@link jobStates}. */
export type JobState = (typeof jobStates)[number];

/** The states that a job never leaves. */
export const terminalJobStates = ['completed', 'failed', 'cancelled'] as const satisfies readonly JobState[];

/** Whether a job in this state has ended. */
export function isTerminal(state: JobState): boolean {
  return (terminalJobStates as readonly JobState[]).includes(state);
}

/** How an attempt at a job can end; `requeued`: it broke and is tried again, `lost`: its worker was not heard of any more. */
export const jobAttemptOutcomes = ['completed', 'failed', 'requeued', 'handed_back', 'lost', 'cancelled'] as const;

/** One of {@link jobAttemptOutcomes}. */
export type JobAttemptOutcome = (typeof jobAttemptOutcomes)[number];

/**
 * A limit that a job went beyond: the name of its setting, or that of a fixed limit, what it allows and what was found, `null` where that is
 * not known. Sizes in bytes, times in milliseconds.
 */
export interface ExceededLimit {
  readonly name: string;
  readonly allowed: number;
  readonly actual: number | null;
}

/** Why a job failed: `code` is stable, `message` is for people, `retryable` says whether the same request under a new key may succeed. */
export interface JobError {
  readonly code: string;
  readonly message: string;
  readonly retryable: boolean;
  /** Index of the input at fault, `null` when it is no single one. */
  readonly input: number | null;
  /** `null` when no limit is the cause. */
  readonly limit: ExceededLimit | null;
}

/** How far a job is. */
export interface JobProgress {
  readonly done: number;
  readonly total: number;
  readonly unit: 'inputs' | 'pages';
}

/** A document that a job reads. Size in bytes, SHA-256 in hexadecimal; all `null` until the job that makes the document has completed, or it was
 * fetched. */
export interface JobInput {
  readonly name: string | null;
  readonly mediaType: string | null;
  readonly sizeBytes: number | null;
  readonly sha256: string | null;
}

/** A document that a job made. */
export interface JobOutput {
  readonly index: number;
  readonly name: string;
  readonly mediaType: string;
  readonly sizeBytes: number;
  readonly sha256: string;
  readonly pages: number;
  readonly expiresAt: Date;
  /** The id of the secret key that signs its link. */
  readonly linkKeyId: string;
}

/** A job as users see it; ids are UUIDs. */
export interface Job {
  readonly id: string;
  readonly operation: string;
  readonly state: JobState;
  readonly attempt: number;
  readonly idempotencyKey: string | null;
  readonly progress: JobProgress;
  readonly metadata: Readonly<Record<string, string>>;
  readonly batchId: string | null;
  readonly clientItemId: string | null;
  readonly createdAt: Date;
  readonly startedAt: Date | null;
  readonly finishedAt: Date | null;
  readonly expiresAt: Date | null;
  readonly inputs: readonly JobInput[];
  readonly outputs: readonly JobOutput[];
  readonly warnings: readonly string[];
  readonly error: JobError | null;
}
