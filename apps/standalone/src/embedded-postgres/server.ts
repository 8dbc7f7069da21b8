import { spawn, type ChildProcess } from 'node:child_process';
import { closeSync } from 'node:fs';
import { readFile, realpath } from 'node:fs/promises';
import { createServer, type AddressInfo } from 'node:net';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { identityOf, isRunning, type ProcessIdentity } from '../data-directory/process-identity.js';
import type { Cluster } from './cluster.js';
import { findPostmaster, type Postmaster } from './postmaster.js';
import { bareEnvironment, runProgram } from './run-program.js';
import { openServerLog, serverLogSize, serverLogTail } from './server-log.js';
import { serverArguments } from './server-settings.js';

/** `fast` ends sessions and writes a checkpoint; `immediate` is a crash that the next start recovers from. */
export type StopMode = 'fast' | 'immediate';

/** A server that accepts connections. */
export interface RunningServer {
  readonly pid: number;
  readonly port: number;
  readonly adopted: boolean;
}

type LaunchOutcome =
  | { readonly kind: 'ready'; readonly pid: number; readonly port: number }
  | { readonly kind: 'refused'; readonly log: string };

const readyPollMs = 10;
const readyWithinMs = 120_000;
const launchWithinMs = 30_000;
const launchPauseMs = 200;
const endWithinMs = 2_000;
const stopWithinSeconds: Readonly<Record<StopMode, number>> = { fast: 20, immediate: 10 };

/** Refusals that pass: another program took the port, or the processes of a killed server are still ending. */
const passingRefusal = /could not (bind|create any TCP)|"postmaster\.pid" already exists|still in use/;

/**
 * Adopts the server that a killed service left behind, or starts one.
 *
 * @param port the port to listen on; a free one when left out
 * @throws Error with the end of the server's log when it does not become ready
 */
export async function startServer(cluster: Cluster, port?: number): Promise<RunningServer> {
  const deadline = performance.now() + launchWithinMs;
  for (;;) {
    const orphan = await adoptOrphan(cluster, port);
    if (orphan !== undefined) return { pid: orphan.pid, port: orphan.port, adopted: true };
    const outcome = await launch(cluster, port ?? (await freePort()));
    if (outcome.kind === 'ready') return { pid: outcome.pid, port: outcome.port, adopted: false };
    if (!passingRefusal.test(outcome.log) || performance.now() > deadline) {
      throw new Error(`the embedded Postgres did not start; the end of ${cluster.logFile}:\n${outcome.log}`);
    }
    await pause(launchPauseMs);
  }
}

/**
 * Stops the server if one runs: in the given mode, and by `immediate` when that takes more than 20 s.
 *
 * @throws Error when a server is still there after both
 */
export async function stopServer(cluster: Cluster, mode: StopMode): Promise<void> {
  const running = await findPostmaster(cluster.data);
  if (running === undefined) return;
  const process = await identityOf(running.pid);
  let output = '';
  for (const step of mode === 'fast' ? (['fast', 'immediate'] as const) : [mode]) {
    const args = ['stop', '-D', cluster.data, '-m', step, '-w', '-t', String(stopWithinSeconds[step])];
    ({ output } = await runProgram(cluster.binaries.pgCtl, args, { cwd: cluster.home, user: cluster.user }));
    if (await endsSoon(process)) return;
  }
  throw new Error(`the embedded Postgres (process ${running.pid}) did not stop: ${output}`);
}

/** A stopped server removes its lock file, which is what pg_ctl waits for, a moment before its process ends. */
async function endsSoon(process: ProcessIdentity): Promise<boolean> {
  const deadline = performance.now() + endWithinMs;
  while (await isRunning(process)) {
    if (performance.now() > deadline) return false;
    await pause(readyPollMs);
  }
  return true;
}

/** An orphan with other settings, another release or another port than asked for is stopped instead. */
async function adoptOrphan(cluster: Cluster, port: number | undefined): Promise<Postmaster | undefined> {
  if ((await findPostmaster(cluster.data)) === undefined) return undefined;
  const orphan = await readyPostmaster(cluster, () => false);
  if (orphan === undefined) return undefined;
  const isWanted = port === undefined || port === orphan.port;
  if (isWanted && (await isStartedAsNow(cluster, orphan.port))) return orphan;
  await stopServer(cluster, 'fast');
  return undefined;
}

/** `postmaster.opts` holds the program and the arguments a server was started with, each argument in double quotes. */
async function isStartedAsNow(cluster: Cluster, port: number): Promise<boolean> {
  const options = await readFile(join(cluster.data, 'postmaster.opts'), 'utf8');
  const quoted = serverArguments(cluster.data, port, cluster.maxConnections).map((argument) => `"${argument}"`);
  return options.trimEnd() === [await realpath(cluster.binaries.postgres), ...quoted].join(' ');
}

async function launch(cluster: Cluster, port: number): Promise<LaunchOutcome> {
  const logStart = serverLogSize(cluster.logFile);
  const child = spawnServer(cluster, port);
  const ended = endOf(child);
  let hasEnded = false;
  void ended.then(
    () => (hasEnded = true),
    () => (hasEnded = true),
  );
  const ready = await readyPostmaster(cluster, () => hasEnded, child.pid);
  if (ready !== undefined) return { kind: 'ready', pid: ready.pid, port };
  await ended;
  return { kind: 'refused', log: serverLogTail(cluster.logFile, logStart) };
}

/** In a session of its own, so that no terminal signal meant for the service reaches it. */
function spawnServer(cluster: Cluster, port: number): ChildProcess {
  const log = openServerLog(cluster.logFile);
  try {
    const child = spawn(cluster.binaries.postgres, serverArguments(cluster.data, port, cluster.maxConnections), {
      cwd: cluster.home,
      env: bareEnvironment(),
      stdio: ['ignore', log, log],
      detached: true,
      ...cluster.user,
    });
    child.unref();
    return child;
  } finally {
    closeSync(log);
  }
}

function endOf(child: ChildProcess): Promise<void> {
  return new Promise((resolve, reject) => {
    child.once('error', (cause) => reject(new Error(`cannot run Postgres: ${cause.message}`, { cause })));
    child.once('exit', () => resolve());
  });
}

/** Waits for a ready server (that of `pid`, if given); undefined once it has ended. */
async function readyPostmaster(
  cluster: Cluster,
  hasEnded: () => boolean,
  pid?: number,
): Promise<Postmaster | undefined> {
  const deadline = performance.now() + readyWithinMs;
  while (!hasEnded() && performance.now() < deadline) {
    const found = await findPostmaster(cluster.data);
    if (found === undefined && pid === undefined) return undefined;
    if (found?.state === 'ready' && (pid === undefined || found.pid === pid)) return found;
    await pause(readyPollMs);
  }
  if (hasEnded()) return undefined;
  await stopServer(cluster, 'immediate');
  throw new Error(`the embedded Postgres was not ready within ${readyWithinMs} ms; see ${cluster.logFile}`);
}

async function freePort(): Promise<number> {
  return new Promise((resolve, reject) => {
    const probe = createServer();
    probe.once('error', reject);
    probe.listen(0, '127.0.0.1', () => {
      const { port } = probe.address() as AddressInfo;
      probe.close(() => resolve(port));
    });
  });
}
