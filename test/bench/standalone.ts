import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { ApiClient } from '../support/api-client.js';
import { freePort } from '../support/free-port.js';
import { packageRoot } from '../support/package-root.js';
import { MeasuredProcess } from './measured-process.js';

/** The embedded default, as `npm start` runs it. */
export interface Standalone {
  readonly process: MeasuredProcess;
  readonly api: ApiClient;
  /** Process id of its Postgres. */
  readonly postgresPid: number;
}

/** Starts the embedded default in a directory of its own. */
export async function startStandalone(directory: string): Promise<Standalone> {
  const port = await freePort();
  const dataDirectory = join(directory, 'data');
  const process = await MeasuredProcess.start({
    entry: join(packageRoot, 'dist/apps/standalone/src/main.js'),
    env: { PORT: String(port), DATA_DIR: dataDirectory, RATE_LIMIT: '1000000/60s' },
    logFile: join(directory, 'standalone.log'),
  });
  const url = `http://127.0.0.1:${port}`;
  await process.ready(`${url}/readyz`);
  const apiKey = (await readFile(join(dataDirectory, 'api-key'), 'utf8')).trim();
  const lock = await readFile(join(dataDirectory, 'postgres', 'data', 'postmaster.pid'), 'utf8');
  return { process, api: new ApiClient(url, apiKey), postgresPid: Number(lock.split('\n')[0]) };
}
