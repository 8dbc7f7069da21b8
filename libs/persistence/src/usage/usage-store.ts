import type { Queryable } from '../database/database.js';
import { reportUsage } from './usage.sql.js';

/** What an account's completed jobs of one operation on one UTC day add up to. */
export interface UsageRow {
  /** `YYYY-MM-DD` */
  readonly date: string;
  readonly operation: string;
  readonly jobs: number;
  readonly pages: number;
  readonly inputBytes: number;
  readonly outputBytes: number;
}

interface Sums {
  readonly date: string;
  readonly operation: string;
  readonly jobs: number;
  readonly pages: number;
  readonly input_bytes: number;
  readonly output_bytes: number;
}

/** Usage records, one for each completed job. */
export class UsageStore {
  constructor(private readonly database: Queryable) {}

  /** The account's usage of jobs completed at or after `from` and before `to`, the oldest day first; days without usage have no row. */
  async report(accountId: string, from: Date, to: Date): Promise<UsageRow[]> {
    const rows = await this.database.query<Sums>(reportUsage, [accountId, from, to]);
    return rows.map((row) => ({
      date: row.date,
      operation: row.operation,
      jobs: row.jobs,
      pages: row.pages,
      inputBytes: row.input_bytes,
      outputBytes: row.output_bytes,
    }));
  }
}
