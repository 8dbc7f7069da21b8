import { chmod, mkdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { findPostmaster } from '../../apps/standalone/src/embedded-postgres/postmaster.js';
import { eventually } from '../support/eventually.js';
import { freePort } from '../support/free-port.js';
import { killWithThisProcess } from '../support/kill-with-this-process.js';
import { packageRoot } from '../support/package-root.js';
import { type SupervisedProcess, Supervisor } from '../support/supervisor.js';

const readyWithinMs = 30_000;
const postgresGoneWithinMs = 10_000;

/** The standalone service as a process of its own, on a directory that outlives its kills. */
export class EmbeddedService {
  readonly #supervisor = new Supervisor();
  #process: SupervisedProcess | undefined;
  #forgetPostgres: () => void = () => undefined;

  private constructor(
    private readonly directory: string,
    private readonly port: number,
  ) {}

  /** Nothing is started yet. */
  static async prepare(directory: string): Promise<EmbeddedService> {
    await mkdir(join(directory, 'tmp'), { recursive: true });
    // Root's Postgres runs as another user, who must be able to pass.
    await chmod(directory, 0o711);
    return new EmbeddedService(directory, await freePort());
  }

  get url(): string {
    return `http://127.0.0.1:${this.port}`;
  }

  get pid(): number {
    return this.#process?.pid ?? 0;
  }

  /** The key that the service made at its first start. */
  async apiKey(): Promise<string> {
    return (await readFile(join(this.#data, 'api-key'), 'utf8')).trim();
  }

  /** Starts it, or starts it again, and waits until it takes requests. */
  async start(): Promise<void> {
    if (this.#process === undefined) this.#process = this.#supervisor.start(this.#spec());
    else this.#process.restart();
    await this.#process.waitForReady(`${this.url}/readyz`, { withinMs: readyWithinMs });
    this.#forgetPostgres();
  }

  /** SIGKILL: nothing of it has the time to do anything. Its Postgres stays, as after any such kill. */
  async kill(): Promise<void> {
    const postmaster = await findPostmaster(this.#postgres);
    if (postmaster !== undefined) this.#forgetPostgres = killWithThisProcess(postmaster.pid);
    this.#process?.kill('SIGKILL');
    await this.#process?.exited;
  }

  /** Stops it and a Postgres that a kill left behind; nothing runs when this resolves. */
  async stop(): Promise<void> {
    await this.#supervisor.stopAll();
    const postmaster = await findPostmaster(this.#postgres);
    if (postmaster !== undefined) {
      process.kill(postmaster.pid, 'SIGINT');
      await eventually(async () => (await findPostmaster(this.#postgres)) === undefined, {
        withinMs: postgresGoneWithinMs,
        describe: `the end of Postgres (process ${postmaster.pid})`,
      });
    }
    this.#forgetPostgres();
  }

  get #data(): string {
    return join(this.directory, 'data');
  }

  get #postgres(): string {
    return join(this.#data, 'postgres', 'data');
  }

  #spec() {
    return {
      name: 'service',
      entry: join(packageRoot, 'dist', 'apps', 'standalone', 'src', 'main.js'),
      env: {
        HOST: '127.0.0.1',
        PORT: String(this.port),
        PUBLIC_URL: undefined,
        DATA_DIR: this.#data,
        TMPDIR: join(this.directory, 'tmp'),
        JOB_LEASE: process.env['JOB_LEASE'] ?? '2s',
        // A busy machine may miss a lease that short; that costs an attempt, and nothing else.
        JOB_MAX_ATTEMPTS: '6',
      },
    };
  }
}
