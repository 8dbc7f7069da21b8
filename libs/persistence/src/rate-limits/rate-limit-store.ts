import { RateLimiterPostgres, type RateLimiterRes } from 'rate-limiter-flexible';
import type { Queryable } from '../database/database.js';
import { giveBackUnits, setRateLimit } from './rate-limit.sql.js';

/** The window that a budget is in: what all processes took of it, and when the next one may begin. */
export interface RateWindow {
  /** Also what was taken in vain, beyond the limit. */
  readonly usedUnits: number;
  /** By the clock of this process. */
  readonly endsAt: Date;
}

/** A budget: whose it is, and for how long its window lasts. */
export interface RateBudget {
  readonly accountId: string;
  readonly windowSeconds: number;
}

/**
 * The windows of all accounts, one row for each, counted by rate-limiter-flexible: the first unit opens a window, which ends after its time. The
 * count of a unit is its place in the window, so units whose count is within the limit are never more than the limit, whoever takes them.
 * Windows begin and end by the clocks of the processes. Those that ended an hour ago are deleted every 5 minutes.
 */
export class RateLimitStore {
  private readonly limiter: RateLimiterPostgres;

  constructor(private readonly database: Queryable) {
    this.limiter = new RateLimiterPostgres({
      storeClient: { query: (query: LimiterQuery) => this.run(query) },
      storeType: 'client',
      tableName: 'rate_limits',
      tableCreated: true,
      keyPrefix: '',
      clearExpiredByTimeout: true,
      points: 0,
      duration: 1,
    });
  }

  /** Takes units, beyond any limit too: the caller compares. */
  async take(budget: RateBudget, units: number): Promise<RateWindow> {
    const { windowSeconds } = budget;
    return windowOf(await this.limiter.penalty(rowName(budget), units, { customDuration: windowSeconds }));
  }

  /** Gives units back that were taken within the limit and not needed; gives nothing, and `null`, when their window has ended. */
  async giveBack(budget: RateBudget, units: number, taken: RateWindow, limitUnits: number): Promise<RateWindow | null> {
    const values = [rowName(budget), units, taken.endsAt.getTime(), limitUnits];
    const [row] = await this.database.query<{ points: number; expire: number }>(giveBackUnits, values);
    return row === undefined ? null : { usedUnits: row.points, endsAt: new Date(row.expire) };
  }

  /** The running window, `null` when there is none. */
  async read(budget: RateBudget): Promise<RateWindow | null> {
    const found = await this.limiter.get(rowName(budget));
    return found === null ? null : windowOf(found);
  }

  /** Gives an account its own limit, written as the setting RATE_LIMIT, or with `null` that of the setting; `false` when there is no such account. */
  async setLimit(accountName: string, limit: string | null): Promise<boolean> {
    return (await this.database.query(setRateLimit, [accountName, limit])).length === 1;
  }

  private async run({ name, text, values }: LimiterQuery): Promise<{ rows: object[]; rowCount: number }> {
    const rows = await this.database.query({ name, text }, values);
    return { rows, rowCount: rows.length };
  }
}

interface LimiterQuery {
  readonly name: string;
  readonly text: string;
  readonly values: readonly unknown[];
}

/** A window of another length is another row, so a changed setting starts afresh. */
function rowName({ accountId, windowSeconds }: RateBudget): string {
  return `${accountId}/${windowSeconds}`;
}

function windowOf({ consumedPoints, msBeforeNext }: RateLimiterRes): RateWindow {
  return { usedUnits: consumedPoints, endsAt: new Date(Date.now() + msBeforeNext) };
}
