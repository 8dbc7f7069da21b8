import type { RateBudget, RateLimitStore, RateWindow } from '#libs/persistence';
import { AccountBudget, type Charge } from './account-budget.js';

const start = Date.parse('2026-11-30T12:00:00Z');

/** One window that counts what is taken, as the table does, and a clock that stands still. */
class Table {
  used = 0;
  readonly takings: number[] = [];
  nowMs = start;

  budget(units: number): AccountBudget {
    const store: Pick<RateLimitStore, 'take'> = {
      take: async (_: RateBudget, taken: number): Promise<RateWindow> => {
        this.used += taken;
        this.takings.push(taken);
        return { usedUnits: this.used, endsAt: new Date(start + 60_000) };
      },
    };
    return new AccountBudget('a', { units, windowSeconds: 60 }, store as RateLimitStore, () => this.nowMs);
  }
}

const chargeMany = (budget: AccountBudget, count: number): Promise<Charge[]> =>
  Promise.all(Array.from({ length: count }, () => budget.charge()));
const within = (charges: readonly Charge[]) => charges.filter(({ isWithin }) => isWithin).length;

describe('AccountBudget', () => {
  it('takes no more than is needed of a budget that is small', async () => {
    const table = new Table();
    const budget = table.budget(100);
    for (let round = 0; round < 5; round += 1) await chargeMany(budget, 3);
    expect(table.takings).toEqual([3, 3, 3, 3, 3]);
  });

  it('takes units ahead while it is busy, and asks for the next when they are used', async () => {
    const table = new Table();
    const budget = table.budget(100_000);
    for (let round = 0; round < 40; round += 1) expect(within(await chargeMany(budget, 2))).toBe(2);
    expect(table.takings).toEqual([2, 34, 34, 34]);
    const [charge] = await chargeMany(budget, 1);
    expect(charge?.window.usedUnits).toBe(81);
  });

  it('takes nothing ahead when its last charge was long ago', async () => {
    const table = new Table();
    const budget = table.budget(100_000);
    for (let round = 0; round < 3; round += 1) {
      await chargeMany(budget, 1);
      table.nowMs += 200;
    }
    expect(table.takings).toEqual([1, 1, 1]);
  });

  it('of two processes never admits more than the limit, and all of it but what the other holds ahead', async () => {
    const table = new Table();
    const budgets = [table.budget(1_000), table.budget(1_000)];
    let admitted = 0;
    for (let round = 0; round < 400; round += 1) {
      const [one, two] = await Promise.all(budgets.map((budget) => chargeMany(budget, 2)));
      admitted += within([...(one ?? []), ...(two ?? [])]);
    }
    expect(admitted).toBeLessThanOrEqual(1_000);
    expect(admitted).toBeGreaterThanOrEqual(990);
  });
});
