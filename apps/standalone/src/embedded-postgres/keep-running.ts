import { setTimeout as pause } from 'node:timers/promises';
import { identityOf, isRunning } from '../data-directory/process-identity.js';
import type { Cluster } from './cluster.js';
import { boundServerLog } from './server-log.js';
import { startServer, stopServer, type RunningServer, type StopMode } from './server.js';

/** Where the embedded server tells what it does; a pino logger is one. */
export interface EmbeddedPostgresLog {
  info(fields: object, message: string): void;
  error(fields: object, message: string): void;
}

/** A server that is kept running until it is stopped. */
export interface KeptServer {
  readonly pid: () => number;
  readonly stop: (mode?: StopMode) => Promise<void>;
}

const watchMs = 1_000;

/**
 * Looks after a running server each second: one that ended by itself (killed by hand, out of memory) is started again on
 * its port, so that connection strings stay right, and its log is kept small.
 */
export function keepRunning(cluster: Cluster, first: RunningServer, log: EmbeddedPostgresLog): KeptServer {
  const stopping = new AbortController();
  let server = first;
  let identity = identityOf(server.pid);
  let stopped: Promise<void> | undefined;

  const watch = async (): Promise<void> => {
    while (await pauseUnlessStopping(stopping.signal)) {
      try {
        boundServerLog(cluster.logFile);
        if (await isRunning(await identity)) continue;
        const endedPid = server.pid;
        server = await startServer(cluster, server.port);
        identity = identityOf(server.pid);
        log.error({ endedPid, childPid: server.pid }, 'postgres.restarted');
      } catch (error) {
        log.error({ err: error }, 'postgres.not-watched');
      }
    }
  };
  const watching = watch();

  const stop = async (mode: StopMode): Promise<void> => {
    stopping.abort();
    await watching;
    await stopServer(cluster, mode);
  };
  return {
    pid: () => server.pid,
    stop: (mode = 'fast') => (stopped ??= stop(mode)),
  };
}

/** False once the signal is aborted. Holds no process open. */
async function pauseUnlessStopping(signal: AbortSignal): Promise<boolean> {
  return pause(watchMs, true, { signal, ref: false }).catch(() => false);
}
