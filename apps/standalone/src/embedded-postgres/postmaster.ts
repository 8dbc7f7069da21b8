import { execFile } from 'node:child_process';
import { readFile, readlink, realpath, rm } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { promisify } from 'node:util';
import { hasProcess } from '../data-directory/process-identity.js';

/** What `postmaster.pid` tells of a server that is really there. */
export interface Postmaster {
  readonly pid: number;
  readonly port: number;
  /** `starting` covers crash recovery, in which no connection is accepted. */
  readonly state: 'starting' | 'ready' | 'stopping';
}

const runFile = promisify(execFile);

/**
 * The server that runs on this data directory, found by its lock file and verified by its process, or undefined. A lock
 * file left by a dead server is Postgres' own affair, except when the process id now belongs to another program, which
 * Postgres would take for a live server: then the file is removed.
 */
export async function findPostmaster(dataDirectory: string): Promise<Postmaster | undefined> {
  const file = join(dataDirectory, 'postmaster.pid');
  const text = await readFile(file, 'utf8').catch(() => '');
  const found = parsePostmasterPid(text);
  if (found === undefined || !hasProcess(found.pid)) return undefined;
  if (await isPostgresOf(found.pid, dataDirectory)) return found;
  if (hasProcess(found.pid)) await rm(file, { force: true });
  return undefined;
}

/** Lines of `postmaster.pid` (miscinit.h, LOCK_FILE_LINE_*): 1 process id, 4 port, 8 state; undefined while incomplete. */
export function parsePostmasterPid(text: string): Postmaster | undefined {
  const lines = text.split('\n');
  const pid = Number(lines[0]);
  if (!Number.isSafeInteger(pid) || pid <= 0) return undefined;
  const word = lines[7]?.trim();
  const state = word === 'ready' || word === 'stopping' ? word : 'starting';
  return { pid, port: Number(lines[3] ?? 0), state };
}

/** A server's working directory is its data directory; where there is no /proc its command line names it. */
async function isPostgresOf(pid: number, dataDirectory: string): Promise<boolean> {
  if (process.platform !== 'linux') {
    const { stdout } = await runFile('ps', ['-o', 'command=', '-p', String(pid)]).catch(() => ({ stdout: '' }));
    return stdout.includes('postgres') && stdout.includes(dataDirectory);
  }
  const executable = await executableOf(pid);
  const cwd = await readlink(`/proc/${pid}/cwd`).catch(() => undefined);
  return executable?.startsWith('postgres') === true && cwd === (await realpath(dataDirectory));
}

async function executableOf(pid: number): Promise<string | undefined> {
  return readlink(`/proc/${pid}/exe`).then(basename, () => undefined);
}
