import { join } from 'node:path';
import { packageRoot } from '../support/package-root.js';
import { MeasuredProcess } from './measured-process.js';

/** How to start a process that listens on a port of 127.0.0.1. */
export interface MeasuredServerOptions {
  /** Names its log file. */
  readonly name: string;
  /** Below `dist`. */
  readonly entry: string;
  readonly port: number;
  readonly args?: readonly string[];
  readonly env?: Readonly<Record<string, string>>;
  /** Holds its log. */
  readonly directory: string;
}

/** A measured process that listens on a port. */
export class MeasuredServer {
  private constructor(
    readonly name: string,
    readonly port: number,
    private readonly process: MeasuredProcess,
  ) {}

  /** Starts it and waits until it says that it is healthy. */
  static async start({ name, entry, port, args = [], env = {}, directory }: MeasuredServerOptions) {
    const process = await MeasuredProcess.start({
      entry: join(packageRoot, 'dist', entry),
      args,
      env,
      logFile: join(directory, `${name}.log`),
    });
    const server = new MeasuredServer(name, port, process);
    await process.ready(`${server.url}/healthz`);
    return server;
  }

  get url(): string {
    return `http://127.0.0.1:${this.port}`;
  }

  get pid(): number {
    return this.process.pid;
  }

  async stop(): Promise<void> {
    await this.process.stop();
  }
}
