import { readFile } from 'node:fs/promises';
import { Database, dumpSchema, migrate, revertMigration } from '#libs/persistence';
import { startTestPostgres, type TestPostgres } from '../support/postgres.js';

const checkedIn = new URL('../../libs/persistence/schema.sql', import.meta.url);

/** Rows of these tables are never deleted, so no delete looks for those who refer to them. */
const neverDeleted = ['accounts'];

let postgres: TestPostgres;

beforeAll(async () => {
  postgres = await startTestPostgres();
}, 60_000);

afterAll(async () => {
  await postgres.stop();
}, 60_000);

async function dumpOf(url: string): Promise<string> {
  const database = new Database({ url, purpose: 'work', poolSize: 1 });
  try {
    return await dumpSchema(database);
  } finally {
    await database.close();
  }
}

async function migratedDatabase(): Promise<string> {
  const url = await postgres.createDatabase();
  await migrate(url);
  return url;
}

async function revertAll(url: string): Promise<number> {
  for (let reverted = 0; ; reverted += 1) if ((await revertMigration(url)) === null) return reverted;
}

describe('the schema', () => {
  it('is what schema.sql says (after a migration, print it anew with print-schema)', async () => {
    expect(await dumpOf(await migratedDatabase())).toBe(await readFile(checkedIn, 'utf8'));
  }, 30_000);

  it('is made by schema.sql as it is made by the migrations', async () => {
    const url = await postgres.createDatabase();
    const sql = await readFile(checkedIn, 'utf8');
    await postgres.query(sql, undefined, url);
    expect(await dumpOf(url)).toBe(sql);
  }, 30_000);

  it('goes down to nothing and comes up the same', async () => {
    const url = await migratedDatabase();
    const before = await dumpOf(url);
    expect(await revertAll(url)).toBeGreaterThan(0);
    expect(await dumpOf(url)).not.toMatch(/CREATE|ALTER/);
    await migrate(url);
    expect(await dumpOf(url)).toBe(before);
  }, 30_000);

  it('applies a migration once, however many processes migrate at once', async () => {
    const url = await postgres.createDatabase();
    const applied = await Promise.all([migrate(url), migrate(url), migrate(url)]);
    expect(applied.filter((names) => names.length > 0)).toHaveLength(1);
    expect(await dumpOf(url)).toBe(await readFile(checkedIn, 'utf8'));
  }, 30_000);

  it('has an index for every foreign key whose target is ever deleted', async () => {
    const url = await migratedDatabase();
    const uncovered = await postgres.query(
      `SELECT conname AS name FROM pg_constraint AS reference
       WHERE contype = 'f' AND confrelid::regclass::text <> ALL ($1) AND NOT EXISTS (
         SELECT FROM pg_index JOIN pg_attribute AS first ON first.attrelid = indrelid AND first.attnum = conkey[1]
         WHERE indrelid = conrelid AND (indkey::int2[])[0:cardinality(conkey) - 1] @> conkey
           AND (indpred IS NULL OR pg_get_expr(indpred, indrelid) = format('(%I IS NOT NULL)', attname)))
       ORDER BY 1`,
      [neverDeleted],
      url,
    );
    expect(uncovered).toEqual([]);
  }, 30_000);

  it('compares byte by byte the texts by which anything is found, whatever the language of the database', async () => {
    const url = await migratedDatabase();
    const byLanguage = await postgres.query(
      `SELECT indexrelid::regclass AS index, attname AS column
       FROM pg_index JOIN pg_class AS relation ON relation.oid = indrelid AND relnamespace = 'public'::regnamespace,
            unnest(indkey, indcollation) AS part (number, rules)
            JOIN pg_attribute ON attnum = number
       WHERE attrelid = indrelid AND rules NOT IN (0, '"C"'::regcollation)`,
      [],
      url,
    );
    expect(byLanguage).toEqual([]);
  }, 30_000);

  it.each([
    ['a view', 'CREATE VIEW seen AS SELECT id FROM jobs', 'relation seen'],
    ['an enum', `CREATE TYPE mood AS ENUM ('good')`, 'type mood'],
    ['a sequence of its own', 'CREATE SEQUENCE counted', 'relation counted'],
    ['a generated column', 'ALTER TABLE jobs ADD twice integer GENERATED ALWAYS AS (attempt * 2) STORED', 'jobs.twice'],
  ])(
    'is not dumped while the dump would leave out %s',
    async (_kind, sql, named) => {
      const url = await migratedDatabase();
      await postgres.query(sql, undefined, url);
      await expect(dumpOf(url)).rejects.toThrow(named);
    },
    30_000,
  );
});
