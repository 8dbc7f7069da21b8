/** What goes with an input. */
export interface WithInput {
  /** The pages to take of it, such as `1-3,5,-1`; for operations that take them, such as `merge`. All when left out. */
  readonly pages?: string | undefined;
  /** What opens it when it is encrypted: up to 127 bytes in UTF-8. The service shows it nowhere, and forgets it when the job ends. */
  readonly password?: string | undefined;
}

/** An uploaded file, an output of another job (the first when none is named), or a document that the service fetches. */
export type InputReference = WithInput & Source;

type Source =
  | { readonly file_id: string }
  | { readonly job_id: string; readonly output?: number | undefined }
  | { readonly url: string };

/** The n-th of the files that are sent along. */
export interface PartReference extends WithInput {
  readonly part: number;
}

/** What to do, apart from its documents. */
export interface JobWork {
  readonly operation: string;
  readonly options?: Readonly<Record<string, unknown>> | undefined;
  /** Yours: up to 20 pairs, given back in the job and its events. */
  readonly metadata?: Readonly<Record<string, string>> | undefined;
}

/** A job on documents that the service has, or will have. */
export interface JobRequest extends JobWork {
  readonly inputs: readonly InputReference[];
}

/** A job on documents that are sent along. Without `inputs` the files are the inputs, in their order. */
export interface UploadedJobRequest extends JobWork {
  readonly inputs?: readonly (InputReference | PartReference)[] | undefined;
}

/** A job of a batch. */
export interface BatchItemRequest extends JobRequest {
  /** Your name for it, unique within the batch. */
  readonly client_item_id: string;
}

/** Up to 1,000 jobs, accepted or refused together. */
export interface BatchRequest {
  readonly items: readonly BatchItemRequest[];
}
