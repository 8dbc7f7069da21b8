/** What an idempotency key was used for. A key is scoped to its account and route. */
export interface KeyScope {
  readonly accountId: string;
  /** Method, route template and path parameters. */
  readonly route: string;
  readonly key: string;
}

/** An answer as it is stored and sent, byte for byte: its body is text, in UTF-8. */
export interface StoredAnswer {
  readonly status: number;
  readonly location: string | null;
  readonly contentType: string;
  readonly body: string;
}

/** A key with the answer that it keeps. */
export interface IdempotencyRecord extends KeyScope {
  readonly fingerprint: string;
  readonly answer: StoredAnswer;
  /** The answer shows a secret, so its body is sealed. */
  readonly isSealed: boolean;
}

/**
 * How a key is taken: `insert` or nothing, decided by the primary key; `replace` an expired record, decided by its expiry under its row lock.
 */
export type KeyMode = 'insert' | 'replace';

/** A record to write, and how its key is taken. */
export interface KeyToTake {
  readonly record: IdempotencyRecord;
  readonly mode: KeyMode;
}
