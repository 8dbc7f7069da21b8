/** Where a job is; the last three are final. */
export type JobState = 'queued' | 'processing' | 'completed' | 'failed' | 'cancelled';

/** A document that a job reads. All `null` until the job that makes it has completed, or it was fetched. */
export interface JobInput {
  readonly name: string | null;
  readonly media_type: string | null;
  /** Bytes. */
  readonly size: number | null;
  readonly sha256: string | null;
}

/** A document that a job made. */
export interface JobOutput {
  readonly index: number;
  readonly name: string;
  readonly media_type: string;
  /** Bytes. */
  readonly size: number;
  readonly sha256: string;
  readonly pages: number;
  /** Needs the API key. */
  readonly url: string;
  /** Signed: needs no API key, and ends with the output. */
  readonly download_url: string;
  readonly expires_at: string;
}

/** A limit that a job went beyond: the name of its setting, or that of a fixed limit. Sizes in bytes, times in milliseconds. */
export interface ExceededLimit {
  readonly name: string;
  readonly allowed: number;
  /** `null` where it is not known. */
  readonly actual: number | null;
}

/** Why a job failed. */
export interface JobError {
  /** Stable. */
  readonly code: string;
  /** For people. */
  readonly message: string;
  /** Whether the same request under a new key may succeed. */
  readonly retryable: boolean;
  /** Index of the input at fault. */
  readonly input: number | null;
  /** `null` when no limit is the cause. */
  readonly limit: ExceededLimit | null;
}

/** A job. Instants are RFC 3339 in UTC. */
export interface Job {
  readonly id: string;
  readonly object: 'job';
  readonly operation: string;
  readonly state: JobState;
  /** Number of the attempt, 0 before the first. */
  readonly attempt: number;
  readonly idempotency_key: string | null;
  readonly progress: { readonly done: number; readonly total: number; readonly unit: 'inputs' | 'pages' };
  readonly metadata: Readonly<Record<string, string>>;
  readonly batch_id: string | null;
  readonly client_item_id: string | null;
  readonly created_at: string;
  readonly started_at: string | null;
  readonly finished_at: string | null;
  readonly expires_at: string | null;
  readonly inputs: readonly JobInput[];
  readonly outputs: readonly JobOutput[];
  readonly warnings: readonly string[];
  readonly error: JobError | null;
}

/** One thing that happened to a job; its other members depend on `type`, and there may be types that this version does not know. */
export interface JobHistoryEntry {
  readonly type: 'submitted' | 'attempt' | 'event' | 'delivery' | (string & {});
  readonly at: string;
  readonly [member: string]: unknown;
}

/** What happened to a job, oldest entry first. */
export interface JobHistory {
  readonly object: 'job_history';
  readonly job_id: string;
  readonly entries: readonly JobHistoryEntry[];
}
