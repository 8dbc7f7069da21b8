import { openCluster, superuser, type Cluster } from './cluster.js';
import { keepRunning, type EmbeddedPostgresLog } from './keep-running.js';
import { startServer, type StopMode } from './server.js';

export interface EmbeddedPostgresOptions {
  /** Holds the cluster, its password and its log; made when it is not there. Its parent can be entered by every user. */
  readonly directory: string;
  readonly log: EmbeddedPostgresLog;
  /** A free port is taken when left out. */
  readonly port?: number;
  /** How many may be connected; enough for the service when left out. */
  readonly maxConnections?: number;
}

/** A Postgres server on 127.0.0.1 that accepts connections. */
export interface EmbeddedPostgres {
  /** Connection string with the password. */
  readonly url: string;
  /** Process id of the server that runs now; a server that ended by itself is started again, on the same port. */
  readonly pid: number;
  /** True when a killed service had left this server running. */
  readonly adopted: boolean;
  /** Stops the server, `fast` when no mode is given; resolves when it is gone. Can be called again. */
  readonly stop: (mode?: StopMode) => Promise<void>;
}

/**
 * Starts the embedded Postgres in a directory, initializing it when it is empty, or adopts the one that still runs there.
 * The caller holds the lock of the data directory, so no second start runs at the same time. The server outlives this
 * process unless `stop` is called.
 *
 * @throws Error that names the remedy
 */
export async function startEmbeddedPostgres(options: EmbeddedPostgresOptions): Promise<EmbeddedPostgres> {
  const startedAtMs = performance.now();
  const cluster = await openCluster(options.directory, options.maxConnections);
  const server = await startServer(cluster, options.port);
  const kept = keepRunning(cluster, server, options.log);
  options.log.info(
    {
      childPid: server.pid,
      port: server.port,
      adopted: server.adopted,
      durationMs: Math.round(performance.now() - startedAtMs),
    },
    'postgres.started',
  );
  return {
    url: urlOf(cluster, server.port),
    adopted: server.adopted,
    stop: kept.stop,
    get pid() {
      return kept.pid();
    },
  };
}

function urlOf(cluster: Cluster, port: number): string {
  return `postgres://${superuser}:${cluster.password}@127.0.0.1:${port}/postgres`;
}
