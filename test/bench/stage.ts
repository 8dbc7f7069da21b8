import { execFile } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { chmod, mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { promisify } from 'node:util';
import { ApiClient, type JsonJob } from '../support/api-client.js';
import { createKey } from '../support/create-key.js';
import { freePort } from '../support/free-port.js';
import { packageRoot } from '../support/package-root.js';
import { samplePdf } from '../support/pdf-samples.js';
import { startTestPostgres, type TestPostgres } from '../support/postgres.js';
import type { LoadOptions } from './load-generator.js';
import { MeasuredServer, type MeasuredServerOptions } from './measured-server.js';
import { runLoad, type ServerLoad } from './run-load.js';

type Settings = Readonly<Record<string, string>>;

/** A load on a server of a stage; the connections are those of the bench when left out. */
export type StagedLoad = Pick<LoadOptions, 'keys' | 'measuredMs'> & Partial<Pick<LoadOptions, 'connections'>>;

const run = promisify(execFile);
const warmUpMs = 1_000;

/** Of a load that says nothing else. */
export const usualConnections = 32;

/** Connections of the pool for admission, the bare handler's too. */
export const poolSize = 10;

/** Runs with a Postgres server of its own on which stages can be opened; ends all of them and the server. */
export async function withStages<T>(
  directory: string,
  work: (open: (name: string) => Promise<Stage>) => Promise<T>,
): Promise<T> {
  const postgres = await startTestPostgres({ isOwn: true });
  const opened: Stage[] = [];
  try {
    return await work(async (name) => {
      const stage = await Stage.open(postgres, join(directory, name));
      opened.push(stage);
      return stage;
    });
  } finally {
    await Promise.all(opened.map((stage) => stage.close()));
    await postgres.stop();
  }
}

/** A database of its own with an account, an API process on it, and a job to ask it for. */
export class Stage {
  private readonly servers: MeasuredServer[] = [];

  private constructor(
    private readonly postgres: TestPostgres,
    readonly databaseUrl: string,
    readonly directory: string,
    private readonly settings: Settings,
    private readonly parts: { readonly api: MeasuredServer; readonly client: ApiClient; readonly job: JsonJob },
  ) {
    this.servers.push(parts.api);
  }

  static async open(postgres: TestPostgres, directory: string): Promise<Stage> {
    await mkdir(directory, { recursive: true });
    await chmod(directory, 0o711);
    const databaseUrl = await postgres.createDatabase();
    const settings = settingsOf(databaseUrl, directory);
    await command('migrate', settings);
    const apiKey = (await command('keys', settings, ['create', '--account', 'bench'])).trim();
    const api = await startRole('api', directory, settings);
    const client = new ApiClient(api.url, apiKey);
    const upload = await client.uploadFile({ name: 'a.pdf', bytes: await samplePdf([100]) });
    const job = { operation: 'merge', inputs: [{ file_id: upload.json<{ id: string }>().id }] };
    return new Stage(postgres, databaseUrl, directory, settings, { api, client, job });
  }

  get api(): MeasuredServer {
    return this.parts.api;
  }

  get client(): ApiClient {
    return this.parts.client;
  }

  /** Merges a document of one page. */
  get job(): JsonJob {
    return this.parts.job;
  }

  /** Starts another process of the product on the same database, with settings of its own. */
  async start(role: 'worker' | 'dispatcher', settings: Settings = {}): Promise<MeasuredServer> {
    return this.kept(await startRole(role, this.directory, { ...this.settings, ...settings }));
  }

  /** Makes an API key of an account that is made if there is none of that name. */
  createKey(account: string): Promise<string> {
    return createKey(this.databaseUrl, account);
  }

  /** Starts any other server, which ends with the stage. */
  async startServer(options: Omit<MeasuredServerOptions, 'directory'>): Promise<MeasuredServer> {
    return this.kept(await MeasuredServer.start({ ...options, directory: this.directory }));
  }

  /** Runs SQL as superuser. */
  query<Row extends object>(sql: string, values: unknown[] = []): Promise<Row[]> {
    return this.postgres.query<Row & Record<string, unknown>>(sql, values, this.databaseUrl);
  }

  /** Measures a load after a checkpoint, so that none falls due meanwhile. @throws when an answer is not 202 */
  async measure(load: StagedLoad, server = this.api): Promise<ServerLoad> {
    await this.query('CHECKPOINT');
    return this.send(load, { server });
  }

  /** Measures a load. @throws when an answer has another status, 202 when none is given */
  send(
    load: StagedLoad,
    { server = this.api, status = 202 }: { readonly server?: MeasuredServer; readonly status?: number } = {},
  ): Promise<ServerLoad> {
    const { port, pid } = server;
    const request = { port, path: '/v1/jobs', apiKey: this.client.apiKey, body: JSON.stringify(this.job) };
    return runLoad(pid, { connections: usualConnections, ...load, ...request, warmUpMs }, status);
  }

  async close(): Promise<void> {
    await Promise.all(this.servers.map((server) => server.stop()));
  }

  private kept(server: MeasuredServer): MeasuredServer {
    this.servers.push(server);
    return server;
  }
}

async function startRole(role: 'api' | 'worker' | 'dispatcher', directory: string, settings: Settings) {
  const port = await freePort();
  const env = { ...settings, PORT: String(port) };
  return MeasuredServer.start({ name: role, entry: `apps/${role}/src/main.js`, port, env, directory });
}

/** The rate limit counts every request and refuses none. */
function settingsOf(databaseUrl: string, directory: string): Settings {
  return {
    DATABASE_URL: databaseUrl,
    DATABASE_POOL: String(poolSize),
    STORAGE_URL: pathToFileURL(join(directory, 'objects')).href,
    SECRET_KEY: `k1:${randomBytes(32).toString('base64')}`,
    KAFKA_BROKERS: '',
    RATE_LIMIT: '1000000/60s',
    WEBHOOK_ALLOW: '127.0.0.0/8',
  };
}

async function command(name: string, settings: Settings, args: readonly string[] = []): Promise<string> {
  const file = join(packageRoot, `dist/apps/api/src/cli/${name}.js`);
  const env = { ...process.env, NODE_OPTIONS: '', ...settings };
  return (await run(process.execPath, [file, ...args], { env })).stdout;
}
