import type { JobState } from '#libs/domain';

/** The right to write a job: it holds as long as the job has this number and is `processing`. The id is a UUID. */
export interface Claim {
  readonly jobId: string;
  readonly claim: number;
}

/** An input as its worker needs it. */
export interface ClaimedInput {
  /** `null` when the input is missing or is to be fetched. */
  readonly name: string | null;
  /** Name in the blob store; `null` when there is nothing stored for it. */
  readonly objectName: string | null;
  /** Where the document is to be fetched from, `null` when it is stored. */
  readonly url: string | null;
  /** The pages to take of it, as they were written; `null` is all. */
  readonly pages: string | null;
  /** What opens it, sealed with `SECRET_KEY`; `null` if nothing was sent with it. */
  readonly sealedPassword: string | null;
  /** The output that the input was to be, when its job ended without it. */
  readonly missing: MissingOutput | null;
}

/** What was fetched for an input, whose object is complete. SHA-256 in hexadecimal. */
export interface FetchedInput {
  readonly index: number;
  readonly name: string;
  readonly mediaType: string;
  readonly sizeBytes: number;
  readonly sha256: string;
  readonly objectId: string;
}

/** An output that is not there; the id is a UUID. */
export interface MissingOutput {
  readonly jobId: string;
  readonly output: number;
  /** How its job ended, `null` when the job is gone. */
  readonly state: JobState | null;
}

/** A job that a worker has just claimed. */
export interface ClaimedJob extends Claim {
  readonly accountId: string;
  /** Unchanged by the claim when an input is missing: such a job fails without an attempt. */
  readonly attempt: number;
  readonly operation: string;
  readonly options: unknown;
  readonly progressTotal: number;
  /** How long it had been ready, by the database's clock. */
  readonly waitedMs: number;
  readonly inputs: readonly ClaimedInput[];
}

/** How far a claimed job is. */
export interface ClaimProgress extends Claim {
  readonly done: number;
  readonly total: number;
}

/** A job that was taken from a worker which was not heard of. */
export interface RescuedJob extends Claim {
  readonly attempt: number;
  /** `queued`: it has attempts left; `exhausted`: it has none and is the rescuer's to settle, under this claim. */
  readonly outcome: 'queued' | 'exhausted';
}
