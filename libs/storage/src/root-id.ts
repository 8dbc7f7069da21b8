import { randomUUID } from 'node:crypto';
import { link, open, readFile, unlink } from 'node:fs/promises';
import { join } from 'node:path';
import { syncDirectory } from './durable-directory.js';
import { hasCode } from './system-error.js';

const fileName = '.pdfonce-root';
const uuidPattern = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;

/** Reads the id of a storage root and makes it first if there is none; of two processes that make it at once, one wins. */
export async function readOrCreateRootId(root: string): Promise<string> {
  const path = join(root, fileName);
  const known = await readRootId(path);
  if (known !== null) return known;
  await createRootId(root, path);
  const created = await readRootId(path);
  if (created === null) throw new Error(`The id of the storage root ${root} vanished while it was being read.`);
  return created;
}

async function readRootId(path: string): Promise<string | null> {
  try {
    const id = (await readFile(path, 'utf8')).trim();
    if (!uuidPattern.test(id)) throw new Error(`${path} does not hold the id of a storage root.`);
    return id;
  } catch (error) {
    if (hasCode(error, 'ENOENT')) return null;
    throw error;
  }
}

/** The id is complete and synced under a name of its own before the link, which alone decides who was first. */
async function createRootId(root: string, path: string): Promise<void> {
  const candidate = `${path}.${randomUUID()}`;
  try {
    await writeSynced(candidate, `${randomUUID()}\n`);
    await link(candidate, path);
  } catch (error) {
    if (!hasCode(error, 'EEXIST')) throw error;
  } finally {
    await unlink(candidate).catch(() => undefined);
  }
  await syncDirectory(root);
}

async function writeSynced(path: string, text: string): Promise<void> {
  const handle = await open(path, 'wx', 0o600);
  try {
    await handle.writeFile(text);
    await handle.sync();
  } finally {
    await handle.close();
  }
}
