import type { Database } from '../database/database.js';
import type { Statement } from '../database/statement.js';
import { deleteEvents, lockOldEvents } from './prune-events.sql.js';
import { pruneFiles } from './prune-files.sql.js';
import { deleteBatches, deleteJobs, lockExpiredBatches, lockExpiredJobs } from './prune-jobs.sql.js';
import { pruneKeys } from './prune-keys.sql.js';
import { pruneOutbox } from './prune-outbox.sql.js';
import { pruneRecoveries } from './prune-recoveries.sql.js';
import { lockExpiredOutputs, releaseOutputs } from './release-outputs.sql.js';

/** What is past its time, one bounded batch a call; each gives the number of rows that it took. Rows in use are left to the next call. */
export class PruneStore {
  constructor(private readonly database: Database) {}

  async keys(limit: number): Promise<number> {
    return this.count(pruneKeys, [limit]);
  }

  /** Never the object of an output that an unfinished job is still to find. */
  async outputs(limit: number): Promise<number> {
    return this.database.transaction(async (tx) => {
      const locked = await tx.query<{ job_id: string; index: number }>(lockExpiredOutputs, [limit]);
      if (locked.length === 0) return 0;
      const values = [locked.map((row) => row.job_id), locked.map((row) => row.index)];
      return (await tx.query(releaseOutputs, values)).length;
    });
  }

  async files(limit: number): Promise<number> {
    return this.count(pruneFiles, [limit]);
  }

  /** Never a job that an unfinished job names. */
  async jobs(limit: number): Promise<number> {
    return this.locked(lockExpiredJobs, deleteJobs, [limit]);
  }

  /** Batches with their jobs. */
  async batches(limit: number): Promise<number> {
    return this.locked(lockExpiredBatches, deleteBatches, [limit]);
  }

  async outbox(limit: number, ageMs: number): Promise<number> {
    return this.count(pruneOutbox, [limit, ageMs]);
  }

  /** Never an event with an open delivery. */
  async events(limit: number, ageMs: number): Promise<number> {
    return this.locked(lockOldEvents, deleteEvents, [limit, ageMs]);
  }

  /** Never one that is running. */
  async recoveries(limit: number, ageMs: number): Promise<number> {
    return this.count(pruneRecoveries, [limit, ageMs]);
  }

  /** The second statement sees what was written before the first one's locks. */
  private async locked(lock: Statement, remove: Statement, values: readonly unknown[]): Promise<number> {
    return this.database.transaction(async (tx) => {
      const locked = await tx.query<{ id: string }>(lock, values);
      if (locked.length === 0) return 0;
      return (await tx.query(remove, [locked.map((row) => row.id)])).length;
    });
  }

  private async count(statement: Statement, values: readonly unknown[]): Promise<number> {
    return (await this.database.query(statement, values)).length;
  }
}
