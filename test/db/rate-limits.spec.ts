import { jest } from '@jest/globals';
import { Database, migrate, RateLimitStore } from '#libs/persistence';
import pg from 'pg';
import { uuidv7 } from 'uuidv7';
import { AccountBudget } from '../../apps/api/src/rate-limit/account-budget.js';
import { eventually } from '../support/eventually.js';
import { startTestPostgres, type TestPostgres } from '../support/postgres.js';
import { waitingForLocks } from '../support/waiting-for-locks.js';

const hour = 3_600;

let postgres: TestPostgres;
let url: string;
let processes: readonly Database[];
let stores: readonly [RateLimitStore, RateLimitStore];

beforeAll(async () => {
  postgres = await startTestPostgres();
  url = await postgres.createDatabase();
  await migrate(url);
  const [one, other] = [1, 2].map(() => new Database({ url, purpose: 'rate-limit', poolSize: 4 })) as [
    Database,
    Database,
  ];
  processes = [one, other];
  stores = [new RateLimitStore(one), new RateLimitStore(other)];
}, 60_000);

afterAll(async () => {
  await Promise.all(processes.map((process) => process.close()));
  await postgres.stop();
});

function run<Row extends pg.QueryResultRow>(sql: string, values: unknown[] = []): Promise<Row[]> {
  return postgres.query<Row>(sql, values, url);
}

/** The budget of one account in both processes. */
function budgets(units: number, windowSeconds = hour): readonly [AccountBudget, AccountBudget] {
  const accountId = uuidv7();
  const [one, other] = stores.map(
    (store) => new AccountBudget(accountId, { units, windowSeconds }, store, () => Date.now()),
  );
  return [one, other] as [AccountBudget, AccountBudget];
}

describe('a budget of new requests (contract 1.13)', () => {
  it('is one for all processes: whoever charges it, exactly as many as the limit are within', async () => {
    const [one, other] = budgets(60);
    const charges = await Promise.all(
      Array.from({ length: 100 }, (_, index) => (index % 2 === 0 ? one : other).charge()),
    );
    expect(charges.filter(({ isWithin }) => isWithin)).toHaveLength(60);
  });

  it('takes a unit back, also when others were refused meanwhile', async () => {
    const [one, other] = budgets(2);
    const charges = await Promise.all(Array.from({ length: 5 }, () => one.charge()));
    const [taken] = charges.filter(({ isWithin }) => isWithin);
    if (taken === undefined) throw new Error('no charge was within the limit');
    expect((await other.charge()).isWithin).toBe(false);
    await one.giveBack(taken.window);
    const again = await Promise.all([one.charge(), one.charge()]);
    expect(again.map(({ isWithin }) => isWithin)).toEqual([true, false]);
  });

  it('begins anew when its window has ended, and takes nothing back into a later one', async () => {
    const [one, other] = budgets(1, 1);
    const { window } = await one.charge();
    expect((await one.charge()).isWithin).toBe(false);
    await eventually(() => Date.now() > window.endsAt.getTime(), { withinMs: 3_000 });
    expect((await one.charge()).isWithin).toBe(true);
    await other.giveBack(window);
    expect((await other.charge()).isWithin).toBe(false);
  });

  it('is read without being charged', async () => {
    const [one, other] = budgets(5);
    expect(await one.window()).toBeNull();
    await other.charge();
    expect(await other.window()).toMatchObject({ usedUnits: 1 });
    const [third] = budgets(5);
    expect(await third.window()).toBeNull();
  });

  it('of one account takes one connection at a time, so that the others can be charged while its row is held', async () => {
    const [busy] = budgets(1_000);
    const [other] = budgets(1_000);
    await busy.charge();
    const session = new pg.Client({ connectionString: url });
    await session.connect();
    await session.query('BEGIN');
    await session.query('SELECT FROM rate_limits FOR UPDATE');
    const charges = Promise.all(Array.from({ length: 50 }, () => busy.charge()));
    await eventually(async () => (await waiting()) > 0, { withinMs: 5_000 });
    expect((await other.charge()).isWithin).toBe(true);
    expect(await waiting()).toBe(1);
    await session.query('ROLLBACK');
    await session.end();
    expect((await charges).every(({ isWithin }) => isWithin)).toBe(true);
  });

  it('is forgotten an hour after its window has ended', async () => {
    const now = Date.now();
    await run('TRUNCATE rate_limits');
    await run(`INSERT INTO rate_limits VALUES ('old', 1, $1), ('ended', 1, $2), ('running', 1, $3)`, [
      ...[now - 3_700_000, now - 1_000, now + 60_000],
    ]);
    jest.useFakeTimers({ doNotFake: ['nextTick', 'setImmediate', 'queueMicrotask', 'performance', 'Date'] });
    try {
      new RateLimitStore(processes[0] as Database);
      jest.advanceTimersByTime(300_000);
    } finally {
      jest.useRealTimers();
    }
    await eventually(async () => {
      const rows = await run<{ key: string }>('SELECT key FROM rate_limits ORDER BY key');
      return rows.map(({ key }) => key).join() === 'ended,running';
    });
  });

  function waiting(): Promise<number> {
    return waitingForLocks(run, 'pdfonce rate-limit');
  }
});
