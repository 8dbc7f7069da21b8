import type { Database } from '../database/database.js';
import { brokenConstraint } from '../database/postgres-error.js';
import { collectObjects, forgetDeletedObjects, readDeletedObjects } from './collect-objects.sql.js';

/** What became of one page of objects. */
export interface CollectedPage {
  /** The id behind which the next page begins, `null` when this was the last. */
  readonly nextAfterId: string | null;
  /** How many objects were moved to the deletion list. */
  readonly removed: number;
}

interface PageRow {
  readonly seen: number;
  readonly last_id: string | null;
  readonly removed: number;
}

const firstId = '00000000-0000-0000-0000-000000000000';
const mostRepeats = 3;

/** The objects that nothing needs any more, and the list of those whose bytes are to go. */
export class GarbageStore {
  constructor(private readonly database: Database) {}

  /**
   * Moves the garbage of one page of objects, in the order of their ids, to the deletion list. A page in which a reference came in between
   * is looked at again, and left to the next pass when that does not help.
   */
  async collect(afterId: string | null, pageSize: number, uploadAgeMs: number): Promise<CollectedPage> {
    for (let repeat = 0; ; repeat += 1) {
      try {
        const [row] = await this.database.query<PageRow>(collectObjects, [afterId ?? firstId, pageSize, uploadAgeMs]);
        const isLast = row === undefined || row.seen < pageSize;
        return { nextAfterId: isLast ? null : row.last_id, removed: row?.removed ?? 0 };
      } catch (error) {
        if (brokenConstraint(error) === null || repeat >= mostRepeats) throw error;
      }
    }
  }

  /** Names behind one of them whose stored objects are to be removed, in order. */
  async deletedObjects(afterName: string, limit: number): Promise<readonly string[]> {
    const rows = await this.database.query<{ name: string }>(readDeletedObjects, [afterName, limit]);
    return rows.map((row) => row.name);
  }

  /** Takes names off the deletion list: their stored objects are gone. */
  async forget(names: readonly string[]): Promise<void> {
    await this.database.query(forgetDeletedObjects, [names]);
  }
}
