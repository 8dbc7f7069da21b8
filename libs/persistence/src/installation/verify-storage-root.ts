import type { Queryable } from '../database/database.js';
import { readInstallationValue, stateOnce } from './installation.sql.js';

/** The storage is not the one that this database's objects lie in. */
export class WrongStorageRoot extends Error {
  override readonly name = 'WrongStorageRoot';

  constructor(expected: string, found: string) {
    super(
      `STORAGE_URL leads to the storage ${found}, but the objects of this database are in ${expected}: every process must have the same storage.`,
    );
  }
}

/**
 * Checks that a storage is the one whose objects this database names. The first process of an installation decides which one that is.
 *
 * @throws WrongStorageRoot
 */
export async function verifyStorageRoot(database: Queryable, storage: { rootId(): Promise<string> }): Promise<void> {
  const found = await storage.rootId();
  await database.query(stateOnce, ['storage_root', found]);
  const [row] = await database.query<{ value: string }>(readInstallationValue, ['storage_root']);
  if (row === undefined) throw new Error('the database does not know its storage');
  if (row.value !== found) throw new WrongStorageRoot(row.value, found);
}
