import type { JobProgress, RenderedEvent } from '#libs/domain';
import type { StoredDocument } from '../files/stored-document.js';

/**
 * One input of a new job: a document that is stored, the output of a job that has not ended, or both: where the document came from. Or the URL
 * of a document that is to be fetched.
 */
export type NewJobInput = NewJobInputSource & WithInput;

type NewJobInputSource =
  | { readonly document: StoredDocument; readonly source: NewJobSource | null; readonly url?: never }
  | { readonly document: null; readonly source: NewJobSource; readonly url?: never }
  | { readonly document: null; readonly source: null; readonly url: string };

/** What goes with an input, if anything. */
interface WithInput {
  /** The pages to take of it, as they were written. */
  readonly pages?: string | undefined;
  /** What opens it, sealed with `SECRET_KEY`. */
  readonly sealedPassword?: string | undefined;
}

/** An output of another job of the account; its id is a UUID. */
export interface NewJobSource {
  readonly jobId: string;
  readonly output: number;
}

/** A job that is about to be accepted; ids are UUIDs. */
export interface NewJob {
  readonly id: string;
  readonly accountId: string;
  readonly operation: string;
  readonly options: object;
  readonly metadata: Readonly<Record<string, string>>;
  readonly idempotencyKey: string | null;
  readonly progress: JobProgress;
  readonly createdAt: Date;
  readonly inputs: readonly NewJobInput[];
  readonly command: RenderedEvent;
}

/** A batch that is about to be accepted: jobs of one account, key and moment, in the order of its items. Their ids grow. */
export interface NewBatch {
  readonly id: string;
  readonly accountId: string;
  readonly idempotencyKey: string | null;
  readonly createdAt: Date;
  readonly items: readonly { readonly clientItemId: string; readonly job: NewJob }[];
}

/** The jobs that have to end before this one can start, each once. */
export function awaitedJobs(job: NewJob): readonly string[] {
  return [
    ...new Set(
      job.inputs.flatMap(({ document, source }) => (document === null && source !== null ? [source.jobId] : [])),
    ),
  ];
}
