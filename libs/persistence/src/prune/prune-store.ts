import type { Database } from '../database/database.js';
import type { Statement } from '../database/statement.js';
import { deleteEvents, lockOldEvents } from './prune-events.sql.js';
import { pruneFiles } from './prune-files.sql.js';
import { pruneJobs } from './prune-jobs.sql.js';
import { pruneKeys } from './prune-keys.sql.js';
import { pruneOutbox } from './prune-outbox.sql.js';
import { releaseOutputs } from './release-outputs.sql.js';

/** What is past its time, one bounded batch a call; each gives the number of rows that it took. Rows in use are left to the next call. */
export class PruneStore {
  constructor(private readonly database: Database) {}

  async keys(limit: number): Promise<number> {
    return this.count(pruneKeys, [limit]);
  }

  async outputs(limit: number): Promise<number> {
    return this.count(releaseOutputs, [limit]);
  }

  async files(limit: number): Promise<number> {
    return this.count(pruneFiles, [limit]);
  }

  async jobs(limit: number): Promise<number> {
    return this.count(pruneJobs, [limit]);
  }

  async outbox(limit: number, ageMs: number): Promise<number> {
    return this.count(pruneOutbox, [limit, ageMs]);
  }

  /** Never an event with an open delivery: the second statement sees what was written before the first one's locks. */
  async events(limit: number, ageMs: number): Promise<number> {
    return this.database.transaction(async (tx) => {
      const locked = await tx.query<{ id: string }>(lockOldEvents, [limit, ageMs]);
      if (locked.length === 0) return 0;
      return (await tx.query(deleteEvents, [locked.map((row) => row.id)])).length;
    });
  }

  private async count(statement: Statement, values: readonly unknown[]): Promise<number> {
    return (await this.database.query(statement, values)).length;
  }
}
