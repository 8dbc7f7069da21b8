import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { packageRoot } from '../support/package-root.js';
import type { LoadOptions, LoadResult } from './load-generator.js';
import { cpuMsOf } from './process-use.js';

/** How a server bore its load. */
export interface ServerLoad extends LoadResult {
  /** Processor time of the server's process for one request, in milliseconds: what else the machine does weighs little on it. */
  readonly cpuMs: number;
}

const run = promisify(execFile);

/**
 * Has a process of its own send requests to a server.
 *
 * @param status of every answer
 * @throws when an answer has another status
 */
export async function runLoad(pid: number, options: LoadOptions, status = 202): Promise<ServerLoad> {
  const generator = join(packageRoot, 'dist/test/bench/load-generator.js');
  const cpuMsBefore = await cpuMsOf([pid]);
  const { stdout } = await run(process.execPath, [generator, JSON.stringify(options)]);
  const cpuMs = (await cpuMsOf([pid])) - cpuMsBefore;
  const result = JSON.parse(stdout) as LoadResult;
  if (result.answers[status] !== result.requests)
    throw new Error(`expected ${status}, was answered ${JSON.stringify(result.answers)}`);
  return { ...result, cpuMs: cpuMs / result.requests };
}
