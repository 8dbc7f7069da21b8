import type { StoredAnswer, Tx } from '#libs/persistence';
import type { Keyed } from './keyed.js';

/** How one try to write ended: `held` means that a committed record has the key, `unauthorized` that the API key was revoked. */
export type Attempt = 'done' | 'held' | 'unauthorized';

/** A write whose answer is known before it: the answer goes into the record as the key is taken. */
export interface AnsweredWork {
  readonly answer: StoredAnswer;
  /** The answer shows a secret, so it is sealed where it is stored. */
  readonly showsSecret?: boolean;
  /** Writes everything or nothing, in one statement or by `writeUnderKey`; without a record there is no key. */
  readonly write: (keyed: Keyed) => Promise<Attempt>;
}

/**
 * A write whose answer only its transaction knows, such as a job as it is once it was cancelled. The key is taken first, so a concurrent
 * request with the same key waits for this transaction; then the work runs and its answer goes into the record. A refusal that it throws
 * rolls everything back and leaves the key free.
 */
export interface AnsweringWork {
  /** The answer shows a secret, so it is sealed where it is stored. */
  readonly showsSecret?: boolean;
  /** Has no effect outside Postgres: it is repeated after errors that prove a rollback. @throws RequestRefused */
  readonly answerIn: (tx: Tx) => Promise<StoredAnswer>;
}

/** What a create request writes, and the answer that this makes true. */
export type CreateWork = AnsweredWork | AnsweringWork;
