import { Database, statement } from '#libs/persistence';
import { startTestPostgres, type TestPostgres } from '../support/postgres.js';

const ownBackend = statement('own-backend', 'SELECT pg_backend_pid() AS pid');
const one = statement('select-one', 'SELECT 1 AS one');

let postgres: TestPostgres;
let database: Database;

beforeAll(async () => {
  postgres = await startTestPostgres();
  database = new Database({ url: await postgres.createDatabase(), purpose: 'work', poolSize: 2 });
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
