import { pause } from '#libs/pace';
import type { Queryable } from '../database/database.js';
import { verifyStorageRoot, WrongStorageRoot } from './verify-storage-root.js';

const everyMs = 1_000;

/** How long to try, and who is told that the database cannot be asked. */
export interface VerifyOptions {
  readonly signal: AbortSignal;
  readonly log: { warn(fields: object, message: string): void };
}

/**
 * Checks the storage as soon as the database, with its schema, can be asked. Resolves without having checked when the signal comes first.
 *
 * @throws WrongStorageRoot
 */
export async function verifyStorageWhenReachable(
  database: Queryable,
  storage: { rootId(): Promise<string> },
  { signal, log }: VerifyOptions,
): Promise<void> {
  while (!signal.aborted) {
    try {
      return await verifyStorageRoot(database, storage);
    } catch (error) {
      if (error instanceof WrongStorageRoot) throw error;
      log.warn({ err: error }, 'database.awaited');
    }
    await pause(everyMs, signal);
  }
}
