import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { packageRoot } from '../support/package-root.js';
import { MeasuredProcess } from './measured-process.js';
import type { PurgeOptions, PurgeResult } from './purge-keys.js';
import type { Stage } from './stage.js';

/** A process that deletes expired keys of a stage until it is stopped. */
export class PurgingProcess {
  static #started = 0;

  private constructor(
    private readonly process: MeasuredProcess,
    private readonly output: string,
  ) {}

  static async start({ databaseUrl, directory }: Stage): Promise<PurgingProcess> {
    const options: PurgeOptions = { databaseUrl };
    const logFile = join(directory, `purge-${(PurgingProcess.#started += 1)}.log`);
    const process = await MeasuredProcess.start({
      entry: join(packageRoot, 'dist/test/bench/purge-keys.js'),
      args: [JSON.stringify(options)],
      env: {},
      logFile,
    });
    return new PurgingProcess(process, logFile);
  }

  /** Ends it after its batch. @throws when it had ended before, by an error */
  async stop(): Promise<PurgeResult> {
    await this.process.stop();
    return JSON.parse(await readFile(this.output, 'utf8')) as PurgeResult;
  }
}
