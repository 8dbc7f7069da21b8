import type { Batch } from '#libs/domain';
import type { Queryable } from '../database/database.js';
import { findBatch } from './batch-reader.sql.js';
import { batchOf, type BatchRow } from './batch-row.js';

/** Reads batches. */
export class BatchReader {
  constructor(private readonly database: Queryable) {}

  /** The account's batch, `null` when it has none of that id. */
  async find(accountId: string, batchId: string): Promise<Batch | null> {
    const [row] = await this.database.query<BatchRow>(findBatch, [accountId, batchId]);
    return row === undefined ? null : batchOf(row);
  }
}
