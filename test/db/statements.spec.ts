import { readdir } from 'node:fs/promises';
import { migrate, type Statement } from '#libs/persistence';
import pg from 'pg';
import { startTestPostgres, type TestPostgres } from '../support/postgres.js';

const source = new URL('../../libs/persistence/src/', import.meta.url);

let postgres: TestPostgres;
let connection: pg.Client;

beforeAll(async () => {
  postgres = await startTestPostgres();
  const url = await postgres.createDatabase();
  await migrate(url);
  connection = new pg.Client(url);
  await connection.connect();
}, 60_000);

afterAll(async () => {
  await connection.end();
  await postgres.stop();
}, 60_000);

/** Every statement that a file of SQL exports, by itself or in a record. */
async function allStatements(): Promise<readonly Statement[]> {
  const files = (await readdir(source, { recursive: true })).filter((file) => file.endsWith('.sql.ts'));
  const modules = await Promise.all(
    files.map((file) => import(new URL(file, source).href) as Promise<Record<string, unknown>>),
  );
  return modules.flatMap((exported) => Object.values(exported).flatMap(statementsIn));
}

function statementsIn(value: unknown): readonly Statement[] {
  if (typeof value !== 'object' || value === null) return [];
  if ('name' in value && 'text' in value) return [value as Statement];
  return Object.values(value).flatMap(statementsIn);
}

function plan({ name, text }: Statement): Promise<unknown> {
  const parameters = Math.max(0, ...[...text.matchAll(/\$(\d+)/g)].map(([, number]) => Number(number)));
  const values = Array.from({ length: parameters }, () => 'NULL').join(', ');
  return connection.query(`EXPLAIN EXECUTE "${name}"${parameters === 0 ? '' : ` (${values})`}`);
}

describe('a statement', () => {
  it('is known by a name of its own', async () => {
    const names = (await allStatements()).map(({ name }) => name);
    expect(names.length).toBeGreaterThan(50);
    expect(names.filter((name, index) => names.indexOf(name) !== index)).toEqual([]);
  });

  it('goes on where it was prepared before a migration adds a column: it names the columns that it gives', async () => {
    const statements = await allStatements();
    for (const { name, text } of statements) await connection.query(`PREPARE "${name}" AS ${text}`);
    const tables = await connection.query<{ name: string }>(
      `SELECT oid::regclass::text AS name FROM pg_class WHERE relnamespace = 'public'::regnamespace AND relkind = 'r'`,
    );
    for (const { name } of tables.rows) await connection.query(`ALTER TABLE ${name} ADD COLUMN added_later integer`);
    const broken: string[] = [];
    for (const each of statements)
      await plan(each).catch((error: Error) => broken.push(`${each.name}: ${error.message}`));
    expect(broken).toEqual([]);
  });
});
