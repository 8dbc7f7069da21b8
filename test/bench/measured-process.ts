import { type ChildProcess, spawn } from 'node:child_process';
import { open, readFile } from 'node:fs/promises';
import { eventually } from '../support/eventually.js';
import { killWithThisProcess } from '../support/kill-with-this-process.js';

export interface MeasuredProcessOptions {
  readonly entry: string;
  readonly args?: readonly string[];
  readonly env: Readonly<Record<string, string>>;
  /** Takes what it writes, so that reading it costs the measurement nothing. */
  readonly logFile: string;
}

const shownCharacters = 2_000;

/** A Node process that runs beside the bench and is measured; it ends with the bench, however that ends. */
export class MeasuredProcess {
  readonly #exited: Promise<void>;
  #forget: () => void = () => undefined;

  private constructor(
    private readonly child: ChildProcess,
    private readonly logFile: string,
  ) {
    this.#exited = new Promise((resolve) => child.once('exit', () => resolve()));
    if (child.pid !== undefined) this.#forget = killWithThisProcess(child.pid);
  }

  static async start({ entry, args = [], env, logFile }: MeasuredProcessOptions): Promise<MeasuredProcess> {
    const log = await open(logFile, 'a');
    const child = spawn(process.execPath, [entry, ...args], {
      env: { ...process.env, NODE_OPTIONS: '', ...env },
      stdio: ['ignore', log.fd, log.fd],
      detached: true,
    });
    await log.close();
    return new MeasuredProcess(child, logFile);
  }

  get pid(): number {
    return this.child.pid ?? 0;
  }

  /** Waits until a GET of the URL is answered with 2xx. */
  async ready(url: string): Promise<void> {
    await eventually(
      async () => {
        if (this.child.exitCode !== null) return true;
        return (await fetch(url, { signal: AbortSignal.timeout(2_000) })).ok;
      },
      { withinMs: 60_000, everyMs: 50, describe: `answer of ${url}` },
    );
    if (this.child.exitCode === null) return;
    const log = await readFile(this.logFile, 'utf8');
    throw new Error(`a process ended at its start:\n${log.slice(-shownCharacters)}`);
  }

  async stop(): Promise<void> {
    this.child.kill('SIGTERM');
    await this.#exited;
    this.#forget();
  }
}
