import pg from 'pg';

/** The kinds of work on the database, which never wait for each other's connections. */
export type DatabasePurpose = 'admission' | 'rate-limit' | 'work';

/** How to reach Postgres. */
export interface DatabaseOptions {
  /** `postgres://user:password@host:port/database` */
  readonly url: string;
  readonly purpose: DatabasePurpose;
  readonly poolSize: number;
  /** Told of an idle connection that was lost. */
  readonly onConnectionLost?: (error: Error) => void;
}

/**
 * Session settings. A client that dies in the middle of an admission must free its key within the bound that users are told:
 * `client_connection_check_interval` ends its running statement, `idle_in_transaction_session_timeout` its open transaction, and
 * `lock_timeout` bounds how long another request waits for it. Compiling a plan (`jit`) costs more than any statement here takes. Admission
 * finds every row by its key, also when a plan was made while the table was empty (`enable_seqscan`).
 */
const sessionSettings: Readonly<Record<DatabasePurpose, Readonly<Record<string, string>>>> = {
  admission: {
    lock_timeout: '2s',
    idle_in_transaction_session_timeout: '2s',
    client_connection_check_interval: '500ms',
    statement_timeout: '10s',
    enable_seqscan: 'off',
    jit: 'off',
  },
  // A crash of the server may forget the last units taken; nobody waits for the disk to count.
  'rate-limit': {
    lock_timeout: '2s',
    idle_in_transaction_session_timeout: '2s',
    client_connection_check_interval: '500ms',
    statement_timeout: '5s',
    synchronous_commit: 'off',
    jit: 'off',
  },
  work: {
    lock_timeout: '10s',
    idle_in_transaction_session_timeout: '10s',
    client_connection_check_interval: '2s',
    statement_timeout: '60s',
    jit: 'off',
  },
};

const connectTimeoutMs: Readonly<Record<DatabasePurpose, number>> = {
  admission: 3_000,
  'rate-limit': 3_000,
  work: 10_000,
};

/**
 * How long an answer is waited for, a little longer than the server may take: a connection that went silent is closed then, for many requests may
 * wait for one statement.
 */
const answerTimeoutMs: Readonly<Partial<Record<DatabasePurpose, number>>> = { admission: 11_000, 'rate-limit': 6_000 };

/** The settings of the pool for one purpose. */
export function poolConfig(options: DatabaseOptions): pg.PoolConfig {
  const answerMs = answerTimeoutMs[options.purpose];
  const settings = Object.entries(sessionSettings[options.purpose]).map(([name, value]) => `-c ${name}=${value}`);
  return {
    connectionString: options.url,
    application_name: `pdfonce ${options.purpose}`,
    max: options.poolSize,
    connectionTimeoutMillis: connectTimeoutMs[options.purpose],
    idleTimeoutMillis: 60_000,
    ...(answerMs === undefined ? {} : { query_timeout: answerMs }),
    keepAlive: true,
    options: settings.join(' '),
    types: { getTypeParser: typeParser },
  };
}

/** The type of `bigint` columns (pg_type.dat). */
const int8: number = pg.types.builtins.INT8;

/** Sizes and counts fit a number: `bigint` columns are read as one. */
function typeParser(oid: number, format?: string): unknown {
  if (oid === int8) return Number;
  return (pg.types.getTypeParser as (oid: number, format?: string) => unknown)(oid, format);
}
