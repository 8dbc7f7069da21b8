/** What the inbox needs of a connection to Postgres, as pg's `Pool`, `Client` and `PoolClient` have it. */
export interface Connection {
  query(text: string, values: unknown[]): Promise<QueryResult>;
}

/** The part of a result that is read. */
export interface QueryResult {
  readonly rows: readonly Readonly<Record<string, unknown>>[];
  /** The command that Postgres says it carried out, such as `COMMIT`. */
  readonly command: string;
}

/** A connection that is lent, as pg's `PoolClient`. */
export interface LentConnection extends Connection {
  /** Gives it back; with an error, to be closed. */
  release(error?: Error): void;
  on(event: 'error', listener: (error: Error) => void): unknown;
  off(event: 'error', listener: (error: Error) => void): unknown;
}

/** What lends connections, as pg's `Pool`. */
export interface ConnectionPool<Lent extends LentConnection = LentConnection> {
  connect(): Promise<Lent>;
}
