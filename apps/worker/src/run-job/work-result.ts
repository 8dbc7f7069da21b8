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
  /** Nothing is known of the document: a crashed child, the storage, the disk. */
  | { readonly kind: 'broken'; readonly cause: unknown }
  | { readonly kind: 'stopped' };
