import type { KeyToTake, StoredAnswer, Tx } from '#libs/persistence';

/**
 * How one try of a statement ended. `held`: a committed record has the key; `unauthorized`: the API key was revoked; `stale`: what the work was
 * prepared from is not so any more. Nothing was written but when it is `done`.
 */
export type WriteOutcome = 'done' | 'held' | 'unauthorized' | 'stale';

/** A write of one statement, which takes the key too. Its answer is known before it. */
export interface StatementWork {
  readonly answer: StoredAnswer;
  /** @param key `null` for a request without one */
  readonly write: (key: KeyToTake | null) => Promise<WriteOutcome>;
}

/**
 * A write of one transaction. The key is taken first, so a concurrent request with the same key waits; then the work runs, and its answer goes
 * into the record. A refusal that it throws rolls everything back and leaves the key free.
 */
export interface TransactionWork {
  /** The answer shows a secret, so it is sealed where it is stored. */
  readonly showsSecret?: boolean;
  /** Has no effect outside Postgres: it is repeated after errors that prove a rollback. @throws RequestRefused */
  readonly answerIn: (tx: Tx) => Promise<Answered>;
}

/** What a transaction came to. */
export interface Answered {
  readonly answer: StoredAnswer;
  /** Runs once, after the commit. */
  readonly onCommit?: () => void;
}

/** What a create request writes, and the answer that this makes true. */
export type CreateWork = StatementWork | TransactionWork;
