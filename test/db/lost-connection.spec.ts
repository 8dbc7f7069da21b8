import { Database, statement } from '#libs/persistence';
import { eventually } from '../support/eventually.js';
import { startTestPostgres, type TestPostgres } from '../support/postgres.js';

const ownBackend = statement('own-backend', 'SELECT pg_backend_pid() AS pid');
const one = statement('select-one', 'SELECT 1 AS one');

let postgres: TestPostgres;
let url: string;
let database: Database;

beforeAll(async () => {
  postgres = await startTestPostgres();
  url = await postgres.createDatabase();
  database = new Database({ url, purpose: 'work', poolSize: 2 });
}, 60_000);

afterAll(async () => {
  await database.close();
  await postgres.stop();
});

describe('a transaction whose connection dies between two statements', () => {
  it('fails alone: the process goes on, and the next transaction gets another connection', async () => {
    const lost = database.transaction(async (tx) => {
      const [backend] = await tx.query<{ pid: number }>(ownBackend);
      await postgres.query('SELECT pg_terminate_backend($1)', [backend?.pid], undefined);
      await new Promise((resolve) => setImmediate(resolve));
      return tx.query(one);
    });
    await expect(lost).rejects.toThrow();
    await expect(database.transaction((tx) => tx.query(one))).resolves.toEqual([{ one: 1 }]);
  });
});

describe('a transaction of an admission whose process stands still', () => {
  it('is ended by Postgres within its bound, so that its key is free (contract 1.4)', async () => {
    const admissions = new Database({ url, purpose: 'admission', poolSize: 1 });
    const stalled = admissions.transaction(async (tx) => {
      const [backend] = await tx.query<{ pid: number }>(ownBackend);
      const sessions = () => postgres.query('SELECT FROM pg_stat_activity WHERE pid = $1', [backend?.pid], undefined);
      await eventually(async () => (await sessions()).length === 0, { withinMs: 10_000 });
      return tx.query(one);
    });
    await expect(stalled).rejects.toThrow();
    await admissions.close();
  });
});
