import { setTimeout as sleep } from 'node:timers/promises';
import { type Database, verifyStorageRoot, WrongStorageRoot } from '#libs/persistence';
import type { BlobStore } from '#libs/storage';

const everyMs = 1_000;

/** Checks the storage as soon as Postgres can be asked. @throws WrongStorageRoot */
export async function verifyStorage(database: Database, blobs: BlobStore, signal: AbortSignal): Promise<void> {
  while (!signal.aborted) {
    try {
      return await verifyStorageRoot(database, blobs);
    } catch (error) {
      if (error instanceof WrongStorageRoot) throw error;
      await sleep(everyMs, undefined, { signal }).catch(() => undefined);
    }
  }
}
