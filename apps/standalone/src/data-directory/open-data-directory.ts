import { chmod, mkdir, readdir, realpath } from 'node:fs/promises';
import { join } from 'node:path';
import { lockDirectory, lockName } from './directory-lock.js';
import { keptSecret } from './kept-secret.js';

/** Thrown when a running process holds the data directory. */
export class AlreadyRunning extends Error {
  override readonly name = 'AlreadyRunning';

  constructor(
    /** The process that holds it. */
    readonly pid: number,
    readonly directory: string,
  ) {
    super(`pdfonce already runs on ${directory} (process ${pid})`);
  }
}

/** Thrown for a directory with files of somebody else: nothing is written among them. */
export class ForeignDirectory extends Error {
  override readonly name = 'ForeignDirectory';

  constructor(readonly directory: string) {
    super(`${directory} is not empty and no data directory of pdfonce; choose another DATA_DIR`);
  }
}

/** Thrown for a directory that cannot be made. */
export class UnusableDirectory extends Error {
  override readonly name = 'UnusableDirectory';

  constructor(
    readonly directory: string,
    cause: unknown,
  ) {
    super(`DATA_DIR ${directory} cannot be used as a directory: ${(cause as Error).message}`, { cause });
  }
}

/** The directory a standalone service keeps everything in, held by this process alone. */
export interface DataDirectory {
  /** Absolute, without symlinks. */
  readonly path: string;
  /** Reads the secret in the file of that name (mode 600), made by `make` and kept when there is none. */
  readonly keptSecret: (name: string, make: () => string) => Promise<string>;
  /** Gives the directory back. A process that ends without doing so leaves it free just the same. */
  readonly release: () => Promise<void>;
}

/** Root's Postgres runs as another user, who must be able to pass; nobody but the owner can list or write. */
const modeOf = (uid: number | undefined): number => (uid === 0 ? 0o711 : 0o700);

/**
 * Opens a data directory for this process alone. One that is not there is made; a new or empty one gets mode 700 (711 as
 * root).
 *
 * @throws {UnusableDirectory} when it cannot be made, or is a file
 * @throws {AlreadyRunning} while another running process, or this one, holds it
 * @throws {ForeignDirectory} when it holds something and was never opened before
 */
export async function openDataDirectory(directory: string): Promise<DataDirectory> {
  const mode = modeOf(process.getuid?.());
  await mkdir(directory, { recursive: true, mode }).catch((error: unknown) => {
    throw new UnusableDirectory(directory, error);
  });
  const path = await realpath(directory);
  const entries = await readdir(path);
  if (entries.length === 0) await chmod(path, mode);
  else if (!entries.includes(lockName)) throw new ForeignDirectory(path);
  const lock = await lockDirectory(path);
  if (lock.kind === 'taken') throw new AlreadyRunning(lock.pid, path);
  return {
    path,
    keptSecret: (name, make) => keptSecret(join(path, name), make),
    release: lock.release,
  };
}
