import { randomBytes, randomUUID } from 'node:crypto';
import { chmod, chown, copyFile, mkdir, readdir, realpath, rename, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { keptSecret } from '../data-directory/kept-secret.js';
import { syncDirectory } from '../data-directory/sync-directory.js';
import { postgresBinaries, type PostgresBinaries } from './postgres-binaries.js';
import { refuseUntraversable } from './refuse-untraversable.js';
import { runProgram, type SystemUser } from './run-program.js';
import { usualConnections } from './server-settings.js';
import { serverUser } from './server-user.js';

/** The one role of the embedded server. */
export const superuser = 'pdfonce';

/** An initialized database cluster on disk and what is needed to run it. */
export interface Cluster {
  /** Holds `data`, `password` and `server.log`; belongs to the user of this process. */
  readonly home: string;
  /** Postgres' own data directory; belongs to `user`. */
  readonly data: string;
  readonly logFile: string;
  readonly password: string;
  readonly user: SystemUser | undefined;
  readonly binaries: PostgresBinaries;
  readonly maxConnections: number;
}

const unfinishedPrefix = 'data.partial-';

/**
 * Opens the cluster in a directory, and initializes one when there is none. A cluster appears under its name only when
 * initdb has finished; one that a killed process left half-made is never used again. The caller holds the lock of the data
 * directory.
 */
export async function openCluster(directory: string, maxConnections = usualConnections): Promise<Cluster> {
  const binaries = await postgresBinaries();
  await mkdir(directory, { recursive: true, mode: 0o700 });
  const home = await realpath(directory);
  const data = join(home, 'data');
  const user = await serverUser(data);
  if (user !== undefined) {
    await chmod(home, 0o711);
    await refuseUntraversable([binaries.postgres, home], user);
  }
  const isNew = !(await exists(data));
  if (!isNew && !(await exists(join(home, 'password')))) throw passwordLost(home);
  const password = await keptSecret(join(home, 'password'), () => randomBytes(32).toString('hex'));
  const cluster = { home, data, logFile: join(home, 'server.log'), password, user, binaries, maxConnections };
  if (isNew) await initialize(cluster);
  await removeUnfinished(home);
  return cluster;
}

async function exists(path: string): Promise<boolean> {
  return stat(path).then(
    () => true,
    () => false,
  );
}

function passwordLost(home: string): Error {
  return new Error(`${join(home, 'password')} is missing: restore it beside the data directory it belongs to`);
}

async function initialize(cluster: Cluster): Promise<void> {
  const unfinished = join(cluster.home, `${unfinishedPrefix}${randomUUID()}`);
  const passwordFile = join(unfinished, 'password');
  const made = join(unfinished, 'data');
  await mkdir(unfinished, { mode: 0o700 });
  await copyFile(join(cluster.home, 'password'), passwordFile);
  for (const path of cluster.user === undefined ? [] : [unfinished, passwordFile]) {
    await chown(path, cluster.user?.uid ?? 0, cluster.user?.gid ?? 0);
  }
  const { code, output } = await runProgram(cluster.binaries.initdb, initdbArguments(made, passwordFile), {
    cwd: cluster.home,
    user: cluster.user,
  });
  if (code !== 0) throw new Error(`initdb failed (exit code ${code}):\n${output}`);
  await rename(made, cluster.data);
  await syncDirectory(cluster.home);
}

function initdbArguments(data: string, passwordFile: string): string[] {
  return [
    `--pgdata=${data}`,
    `--username=${superuser}`,
    `--pwfile=${passwordFile}`,
    '--auth=scram-sha-256',
    '--encoding=UTF8',
    '--locale=C',
    '--locale-provider=builtin',
    '--builtin-locale=C.UTF-8',
    '--no-instructions',
  ];
}

/** An initdb orphaned by a killed service may still write there, so what cannot be removed now is left to the next start. */
async function removeUnfinished(home: string): Promise<void> {
  const names = (await readdir(home)).filter((name) => name.startsWith(unfinishedPrefix));
  await Promise.allSettled(names.map((name) => rm(join(home, name), { recursive: true, force: true })));
}
