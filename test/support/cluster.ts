import { execFile } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { mkdir, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { promisify } from 'node:util';
import { migrate } from '#libs/persistence';
import { createKey } from './create-key.js';
import { freePort } from './free-port.js';
import { packageRoot } from './package-root.js';
import { startTestPostgres, type TestPostgres } from './postgres.js';
import { type SupervisedProcess, Supervisor } from './supervisor.js';

export type Role = 'api' | 'worker' | 'dispatcher';

type Environment = Readonly<Record<string, string>>;

/** What to start; one process of each role when a number is left out. */
export interface ClusterOptions {
  readonly apis?: number;
  readonly workers?: number;
  readonly dispatchers?: number;
  /** `host:port` of Kafka brokers; without them processes find work by poll. */
  readonly brokers?: readonly string[];
  /** Settings of every process. */
  readonly env?: Environment;
  /** Settings of the processes of one role. */
  readonly envOfRole?: Partial<Readonly<Record<Role, Environment>>>;
  /** Where each process' output is kept; nowhere when left out. */
  readonly logDirectory?: string;
  /** A server to use; one is started, or that of TEST_DATABASE_URL used, when left out. It is not stopped with the cluster. */
  readonly postgres?: TestPostgres;
  /** Gives the URL at which the processes reach the database, such as that of a proxy before it. */
  readonly databaseBehind?: (databaseUrl: string) => string;
}

const run = promisify(execFile);
const readyWithinMs = 30_000;
/** What every process logs when it works. */
export const readyLine = 'process.ready';

/** The built apps as processes on a database of their own. Any of them can be killed and started again, with a failpoint armed or without. */
export class Cluster {
  readonly supervisor: Supervisor;
  readonly apiUrls: string[] = [];

  private constructor(
    private readonly options: ClusterOptions,
    readonly postgres: TestPostgres,
    readonly databaseUrl: string,
    /** Holds the stored objects (`objects`) and the temporary directory of the processes (`tmp`). */
    readonly directory: string,
    private readonly env: Environment,
  ) {
    this.supervisor = new Supervisor(options.logDirectory);
  }

  /** Starts everything and waits until it is ready. */
  static async start(options: ClusterOptions = {}): Promise<Cluster> {
    const postgres = options.postgres ?? (await startTestPostgres());
    const databaseUrl = await postgres.createDatabase();
    const directory = await mkdtemp(join(tmpdir(), 'pdfonce-cluster-'));
    await mkdir(join(directory, 'tmp'));
    const cluster = new Cluster(
      options,
      postgres,
      databaseUrl,
      directory,
      environment(options, databaseUrl, directory),
    );
    try {
      await cluster.#prepare();
      await cluster.#startAll();
    } catch (error) {
      await cluster.stop();
      throw error;
    }
    return cluster;
  }

  /** A process by its role and number from 1, such as `worker-1`. */
  process(name: string): SupervisedProcess {
    return this.supervisor.get(name);
  }

  /** Makes an API key with all scopes, of an account that is made if there is none of that name. */
  createKey(account: string): Promise<string> {
    return createKey(this.databaseUrl, account);
  }

  /** Runs a command of the command line, such as `keys`, and gives what it prints. */
  async command(name: string, ...args: readonly string[]): Promise<string> {
    const file = join(packageRoot, 'dist', 'apps', 'api', 'src', 'cli', `${name}.js`);
    const env = { ...process.env, NODE_OPTIONS: '', ...this.env };
    return (await run(process.execPath, [file, ...args], { env, timeout: readyWithinMs })).stdout;
  }

  /** Runs SQL as superuser on the database of the cluster. */
  query<Row extends object>(sql: string, values: unknown[] = []): Promise<Row[]> {
    return this.postgres.query<Row & Record<string, unknown>>(sql, values, this.databaseUrl);
  }

  /**
   * Starts a process again and waits until it is ready; one that runs is killed first.
   *
   * @param failpoint order to arm it with, as start-armed takes it
   */
  async startAgain(name: string, failpoint = ''): Promise<SupervisedProcess> {
    const process = this.process(name);
    process.kill('SIGKILL');
    await process.exited;
    process.restart({ FAILPOINT: failpoint });
    await this.#ready(process);
    return process;
  }

  /** Stops all processes and removes database and directory. */
  async stop(): Promise<void> {
    await this.supervisor.stopAll();
    if (this.options.postgres === undefined) await this.postgres.stop();
    await rm(this.directory, { recursive: true, force: true, maxRetries: 3 });
  }

  async #prepare(): Promise<void> {
    await migrate(this.databaseUrl);
    if (this.options.brokers !== undefined) await this.command('topics');
  }

  async #startAll(): Promise<void> {
    const { apis = 1, workers = 1, dispatchers = 1 } = this.options;
    const ports = await Promise.all(Array.from({ length: apis }, freePort));
    this.apiUrls.push(...ports.map((port) => `http://127.0.0.1:${port}`));
    const started = [
      ...ports.map((port, index) => this.#start('api', index, { PORT: String(port) })),
      ...Array.from({ length: workers }, (_, index) => this.#start('worker', index)),
      ...Array.from({ length: dispatchers }, (_, index) => this.#start('dispatcher', index)),
    ];
    await Promise.all(started.map((process) => this.#ready(process)));
  }

  #start(role: Role, index: number, env: Environment = {}): SupervisedProcess {
    const entry = join(packageRoot, 'dist', 'apps', role, 'src', 'main.js');
    return this.supervisor.start({
      name: `${role}-${index + 1}`,
      entry: join(packageRoot, 'dist', 'test', 'support', 'start-armed.js'),
      env: {
        PUBLIC_URL: this.apiUrls[0],
        ...this.env,
        ...this.options.envOfRole?.[role],
        ...env,
        ARMED_ENTRY: entry,
        FAILPOINT: '',
      },
    });
  }

  async #ready(process: SupervisedProcess): Promise<void> {
    await process.waitForLog(({ fields }) => fields?.['msg'] === readyLine, { withinMs: readyWithinMs });
  }
}

function environment(options: ClusterOptions, databaseUrl: string, directory: string): Environment {
  const { brokers = [], env = {}, databaseBehind = (url: string) => url } = options;
  return {
    DATABASE_URL: databaseBehind(databaseUrl),
    STORAGE_URL: pathToFileURL(join(directory, 'objects')).href,
    SECRET_KEY: `k1:${randomBytes(32).toString('base64')}`,
    KAFKA_BROKERS: brokers.join(','),
    WEBHOOK_ALLOW: '127.0.0.0/8',
    POLL_INTERVAL: '100ms',
    RATE_LIMIT: '1000000/60s',
    TMPDIR: join(directory, 'tmp'),
    ...env,
  };
}
