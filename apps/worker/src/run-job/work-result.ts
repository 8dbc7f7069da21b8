import type { JobError } from '#libs/domain';
import type { StoredOutput } from '#libs/persistence';

/** What the work of one attempt came to, before anything of it is written. */
export type WorkResult =
  | {
      readonly kind: 'completed';
      readonly outputs: readonly StoredOutput[];
      readonly warnings: readonly string[];
      readonly total: number;
    }
  /** The document or a limit is the cause: the same work fails the same way again. */
  | { readonly kind: 'failed'; readonly error: JobError }
  /**
   * Nothing is known of the document: a crashed child, the storage, the disk, an input that could not be fetched now. `error` is what the job
   * fails with when this was its last attempt, if there is more to say than that.
   */
  | { readonly kind: 'broken'; readonly cause: unknown; readonly error?: JobError }
  | { readonly kind: 'stopped' };
