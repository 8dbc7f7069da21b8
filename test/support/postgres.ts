import { randomUUID } from 'node:crypto';
import { chmod, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import pg from 'pg';
import {
  startEmbeddedPostgres,
  type EmbeddedPostgres,
} from '../../apps/standalone/src/embedded-postgres/start-embedded-postgres.js';
import { killWithThisProcess } from './kill-with-this-process.js';

/** A Postgres server for tests. */
export interface TestPostgres {
  /** Of a database in which databases can be made; other tests may use it too. */
  readonly url: string;
  /** Makes an empty database, or a copy of one (given by its URL) to which nobody is connected; dropped by `stop`. */
  createDatabase(template?: string): Promise<string>;
  /** Runs one statement as superuser in the database of `databaseUrl`, the server's own when left out. */
  query<Row extends pg.QueryResultRow>(sql: string, values?: unknown[], databaseUrl?: string): Promise<Row[]>;
  /** Ends every client connection of that database, or of all databases made here; returns how many there were. */
  terminateBackends(databaseUrl?: string): Promise<number>;
  /** Crashes the server and starts it again on the same port. Only on a server of one's own. */
  readonly restartImmediate: () => Promise<void>;
  /** Stops the server until `resume`; `immediate` is a crash. Only on a server of one's own. */
  readonly halt: (mode: 'fast' | 'immediate') => Promise<void>;
  /** Starts the server again on the same port. */
  readonly resume: () => Promise<void>;
  stop(): Promise<void>;
}

export interface TestPostgresOptions {
  /** Starts a server for this caller alone even when TEST_DATABASE_URL names a common one. */
  readonly isOwn?: boolean;
}

interface Server {
  readonly url: string;
  readonly halt: (mode: 'fast' | 'immediate') => Promise<void>;
  readonly resume: () => Promise<void>;
  stop(): Promise<void>;
}

/** Suites that run side by side have some pools each. */
const maxConnections = 200;

const silent = { info: () => undefined, error: () => undefined };

/** Starts a throwaway server, or uses the one of TEST_DATABASE_URL, whose role must be a superuser. */
export async function startTestPostgres({ isOwn = false }: TestPostgresOptions = {}): Promise<TestPostgres> {
  const common = process.env['TEST_DATABASE_URL'];
  const server = common === undefined || isOwn ? await startOwnServer() : commonServer(common);
  const made: string[] = [];
  return {
    url: server.url,
    query: (sql, values, databaseUrl = server.url) => query(databaseUrl, sql, values),
    createDatabase: async (template) => {
      const url = await createDatabase(server.url, template);
      made.push(url);
      return url;
    },
    terminateBackends: (databaseUrl) => terminateBackends(server.url, databaseUrl === undefined ? made : [databaseUrl]),
    restartImmediate: async () => {
      await server.halt('immediate');
      await server.resume();
    },
    halt: server.halt,
    resume: server.resume,
    stop: async () => {
      if (common !== undefined && !isOwn) await dropDatabases(common, made.splice(0));
      await server.stop();
    },
  };
}

async function startOwnServer(): Promise<Server> {
  const directory = await mkdtemp(join(tmpdir(), 'pdfonce-postgres-'));
  await chmod(directory, 0o711);
  let running = await startGuarded(directory);
  const { url } = running.postgres;
  const port = Number(new URL(url).port);
  const stop = async (mode: 'fast' | 'immediate'): Promise<void> => {
    await running.postgres.stop(mode);
    running.forget();
  };
  return {
    url,
    halt: stop,
    resume: async () => {
      running = await startGuarded(directory, port);
    },
    stop: async () => {
      await stop('immediate');
      await rm(directory, { recursive: true, force: true });
    },
  };
}

/** The server is in a session of its own, so a test run that is killed would leave it behind. */
async function startGuarded(
  directory: string,
  port?: number,
): Promise<{ postgres: EmbeddedPostgres; forget: () => void }> {
  const postgres = await startEmbeddedPostgres({
    ...{ directory, log: silent, maxConnections },
    ...(port === undefined ? {} : { port }),
  });
  return { postgres, forget: killWithThisProcess(postgres.pid) };
}

function commonServer(url: string): Server {
  const refuse = async (): Promise<never> => {
    throw new Error('the server of TEST_DATABASE_URL is not stopped: start one with { isOwn: true }');
  };
  return { url, halt: refuse, resume: refuse, stop: async () => undefined };
}

async function createDatabase(serverUrl: string, template: string | undefined): Promise<string> {
  const name = `test_${randomUUID().replaceAll('-', '')}`;
  const from = template === undefined ? 'template0' : databaseName(template);
  await query(serverUrl, `create database ${name} template ${pg.escapeIdentifier(from)}`);
  const url = new URL(serverUrl);
  url.pathname = `/${name}`;
  return url.href;
}

async function dropDatabases(serverUrl: string, urls: readonly string[]): Promise<void> {
  for (const url of urls) await query(serverUrl, `drop database if exists ${databaseName(url)} with (force)`);
}

async function terminateBackends(serverUrl: string, urls: readonly string[]): Promise<number> {
  const rows = await query(
    serverUrl,
    `select pg_terminate_backend(pid) from pg_stat_activity
      where backend_type = 'client backend' and datname = any ($1) and pid <> pg_backend_pid()`,
    [urls.map(databaseName)],
  );
  return rows.length;
}

function databaseName(url: string): string {
  return new URL(url).pathname.slice(1);
}

async function query<Row extends pg.QueryResultRow>(url: string, sql: string, values?: unknown[]): Promise<Row[]> {
  const client = new pg.Client({ connectionString: url });
  client.on('error', () => undefined);
  await client.connect();
  try {
    return (await client.query<Row>(sql, values)).rows;
  } finally {
    await client.end();
  }
}
