import { mkdir, open, rmdir } from 'node:fs/promises';
import { dirname } from 'node:path';
import { hasCode } from './system-error.js';

/** Makes a directory and its missing parents, for this user only. */
export async function makeDirectory(path: string): Promise<void> {
  await mkdir(path, { recursive: true, mode: 0o700 });
}

/** Makes the entries of one directory survive a power cut. */
export async function syncDirectory(path: string): Promise<void> {
  const handle = await open(path, 'r');
  try {
    await handle.sync();
  } finally {
    await handle.close();
  }
}

/**
 * Syncs a directory and its parents up to the root. All of them, each time: another put may have made one of them a moment
 * ago and not synced it yet. A directory without changes costs next to nothing.
 */
export async function syncDirectoriesUpTo(root: string, path: string): Promise<void> {
  await syncDirectory(path);
  if (path !== root) await syncDirectoriesUpTo(root, dirname(path));
}

/** Removes a directory and its parents below the root as far as they are empty. */
export async function pruneDirectoriesUpTo(root: string, path: string): Promise<void> {
  if (path === root) return;
  try {
    await rmdir(path);
  } catch (error) {
    if (hasCode(error, 'ENOTEMPTY', 'EEXIST', 'EBUSY')) return;
    if (!hasCode(error, 'ENOENT')) throw error;
  }
  await pruneDirectoriesUpTo(root, dirname(path));
}
