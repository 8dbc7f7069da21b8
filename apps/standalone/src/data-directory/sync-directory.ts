import { open } from 'node:fs/promises';

/** Makes the names in a directory durable: without it a power cut can undo a rename or link. */
export async function syncDirectory(path: string): Promise<void> {
  const handle = await open(path, 'r');
  try {
    await handle.sync();
  } finally {
    await handle.close();
  }
}
