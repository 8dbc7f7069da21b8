import pg from 'pg';
import { startTestPostgres, type TestPostgres } from './postgres.js';

let postgres: TestPostgres;

beforeAll(async () => {
  postgres = await startTestPostgres({ isOwn: true });
}, 30_000);

afterAll(() => postgres.stop(), 30_000);

describe('a test Postgres', () => {
  it('copies a database from its template, each copy apart', async () => {
    const template = await postgres.createDatabase();
    await postgres.query('create table t as select 1 as n', [], template);
    const [one, other] = [await postgres.createDatabase(template), await postgres.createDatabase(template)];
    await postgres.query('update t set n = $1', [2], one);
    expect(await postgres.query('select n from t', [], one)).toEqual([{ n: 2 }]);
    expect(await postgres.query('select n from t', [], other)).toEqual([{ n: 1 }]);
  });

  it('ends the connections of a database', async () => {
    const url = await postgres.createDatabase();
    const client = new pg.Client({ connectionString: url });
    const ended = new Promise<void>((resolve) => client.once('end', resolve));
    client.on('error', () => undefined);
    await client.connect();
    expect(await postgres.terminateBackends(url)).toBe(1);
    await ended;
  });

  it('crashes and comes back on the same port with what was committed', async () => {
    const url = await postgres.createDatabase();
    await postgres.query('create table t as select 1 as n', [], url);
    await postgres.restartImmediate();
    expect(await postgres.query('select n from t', [], url)).toEqual([{ n: 1 }]);
  }, 30_000);

  it('uses the common server of TEST_DATABASE_URL and leaves no database in it', async () => {
    const before = process.env['TEST_DATABASE_URL'];
    process.env['TEST_DATABASE_URL'] = postgres.url;
    try {
      const common = await startTestPostgres();
      const url = await common.createDatabase();
      expect(await common.query('select 1 as n', [], url)).toEqual([{ n: 1 }]);
      await common.stop();
      await expect(common.query('select 1', [], url)).rejects.toThrow(/does not exist/);
    } finally {
      if (before === undefined) delete process.env['TEST_DATABASE_URL'];
      else process.env['TEST_DATABASE_URL'] = before;
    }
  });
});
