import type { JobError } from '#libs/domain';

/** An output whose object is complete. SHA-256 in hexadecimal. */
export interface StoredOutput {
  readonly name: string;
  readonly mediaType: string;
  readonly sizeBytes: number;
  readonly sha256: string;
  readonly pages: number;
  readonly objectId: string;
}

/** The end of a job as its worker knows it. */
export type JobEnding =
  | {
      readonly state: 'completed';
      readonly outputs: readonly StoredOutput[];
      readonly warnings: readonly string[];
      /** What the progress came to. */
      readonly total: number;
    }
  | { readonly state: 'failed'; readonly error: JobError };

/** How long what an end leaves behind is kept. */
export interface JobRetention {
  readonly jobMs: number;
  readonly artifactMs: number;
  readonly keyMs: number;
}
