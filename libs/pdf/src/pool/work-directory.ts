import { mkdir, mkdtemp, readdir, rm } from 'node:fs/promises';
import { hostname } from 'node:os';
import { join } from 'node:path';
import { processStartTime } from './proc/process-start-time.js';

const directoryPattern = /^pdfonce-(?<host>.+)-(?<pid>\d+)-(?<startTime>\d+)$/;

/** Makes an empty directory for one task inside the directory of this process; both are for this user only. */
export async function createTaskDirectory(root: string): Promise<string> {
  const directory = await processDirectory(root);
  await mkdir(directory, { recursive: true, mode: 0o700 });
  return mkdtemp(join(directory, 'task-'));
}

/** Removes the directory of this process with all that is in it. */
export async function removeProcessDirectory(root: string): Promise<void> {
  await rm(await processDirectory(root), { recursive: true, force: true });
}

/**
 * Removes the directories of processes of this host that are gone, and returns their names. One whose process runs, and one of
 * another host, is left alone.
 */
export async function removeOrphanedDirectories(root: string): Promise<string[]> {
  const removed: string[] = [];
  for (const name of await readdir(root).catch(() => [])) {
    if (!(await isOrphaned(name))) continue;
    await rm(join(root, name), { recursive: true, force: true, maxRetries: 3 });
    removed.push(name);
  }
  return removed;
}

/** The start time tells a process from a later one with the same pid. */
async function processDirectory(root: string): Promise<string> {
  return join(root, `pdfonce-${hostName()}-${process.pid}-${(await processStartTime(process.pid)) ?? 0}`);
}

async function isOrphaned(name: string): Promise<boolean> {
  const owner = directoryPattern.exec(name)?.groups;
  if (owner?.['host'] !== hostName()) return false;
  return (await processStartTime(Number(owner['pid']))) !== owner['startTime'];
}

function hostName(): string {
  return hostname().replace(/[^A-Za-z0-9._-]/g, '_');
}
