/** A document that a job made. */
export interface EventOutput {
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
export interface EventError {
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

/** The job as its event tells of it: without its inputs, and with at most 20 of its outputs. Instants are RFC 3339 in UTC. */
export interface JobEventData<State extends string = 'completed' | 'failed' | 'cancelled'> {
  readonly id: string;
  readonly object: 'job';
  readonly operation: string;
  readonly state: State;
  /** Number of the attempt, 0 when none was started. */
  readonly attempt: number;
  readonly idempotency_key: string | null;
  readonly progress: { readonly done: number; readonly total: number; readonly unit: 'inputs' | 'pages' };
  /** What the request that made the job gave. Left out (`{}`) when the event would be longer than 20 kB. */
  readonly metadata: Readonly<Record<string, string>>;
  readonly batch_id: string | null;
  readonly client_item_id: string | null;
  readonly created_at: string;
  readonly started_at: string | null;
  readonly finished_at: string | null;
  readonly expires_at: string | null;
  readonly outputs: readonly EventOutput[];
  /** How many outputs there are, those that are not listed included. */
  readonly outputs_total: number;
  /** Where the whole job is read when some outputs are not listed. */
  readonly outputs_url: string | null;
  readonly warnings: readonly string[];
  readonly error: EventError | null;
}
