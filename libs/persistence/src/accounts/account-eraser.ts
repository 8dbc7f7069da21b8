import type { Database } from '../database/database.js';
import { closeAccount, eraseSteps, findAccount, forgetAccount } from './erase-account.sql.js';

/** How many rows of each kind were erased. */
export type ErasedRows = Readonly<Record<string, number>>;

/** Its deliveries and attempts go with an event. */
const rowsAtOnce = 200;

/**
 * Erases accounts: keys, jobs, batches, files, events with their deliveries, endpoints, usage. What is stored of their documents is left to the
 * garbage collector, which finds nobody who refers to it. Every statement stands alone, so an erasure that was cut off is begun again.
 */
export class AccountEraser {
  constructor(private readonly database: Database) {}

  /** The UUID of the account of that name, `null` without one. */
  async find(name: string): Promise<string | null> {
    const [row] = await this.database.query<{ id: string }>(findAccount, [name]);
    return row?.id ?? null;
  }

  /** Erases everything, in bounded batches; work that ends meanwhile is erased too. At the end the account has lost its name. */
  async erase(accountId: string): Promise<ErasedRows> {
    const erased: Record<string, number> = {};
    for (let rows = Infinity; rows > 0;) {
      rows = 0;
      await this.database.transaction((tx) => tx.query(closeAccount, [accountId]));
      for (const [kind, statement] of eraseSteps) {
        const taken = await this.all(() =>
          this.database.transaction((tx) => tx.query(statement, [accountId, rowsAtOnce])),
        );
        erased[kind] = (erased[kind] ?? 0) + taken;
        rows += taken;
      }
    }
    await this.database.query(forgetAccount, [accountId]);
    return erased;
  }

  private async all(take: () => Promise<readonly object[]>): Promise<number> {
    let rows = 0;
    for (let taken = rowsAtOnce; taken === rowsAtOnce;) {
      taken = (await take()).length;
      rows += taken;
    }
    return rows;
  }
}
