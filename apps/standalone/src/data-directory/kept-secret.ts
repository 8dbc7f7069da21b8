import { randomUUID } from 'node:crypto';
import { chmod, link, open, readFile, rm, stat } from 'node:fs/promises';
import { dirname } from 'node:path';
import { syncDirectory } from './sync-directory.js';

/**
 * The secret in a file: made once, read ever after. The file appears whole or not at all and is durable before its content
 * is returned; its mode is 600. Of two makers at the same time one wins and both get its secret.
 */
export async function keptSecret(path: string, make: () => string): Promise<string> {
  return (await readSecret(path)) ?? (await makeSecret(path, make()));
}

async function readSecret(path: string): Promise<string | undefined> {
  try {
    if (((await stat(path)).mode & 0o077) !== 0) await chmod(path, 0o600);
    return await readFile(path, 'utf8');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
    throw error;
  }
}

async function makeSecret(path: string, secret: string): Promise<string> {
  const unfinished = `${path}.${randomUUID()}`;
  try {
    await writeDurably(unfinished, secret);
    await link(unfinished, path);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
    return await readFile(path, 'utf8');
  } finally {
    await rm(unfinished, { force: true });
  }
  await syncDirectory(dirname(path));
  return secret;
}

async function writeDurably(path: string, content: string): Promise<void> {
  const handle = await open(path, 'wx', 0o600);
  try {
    await handle.writeFile(content, 'utf8');
    await handle.sync();
  } finally {
    await handle.close();
  }
}
