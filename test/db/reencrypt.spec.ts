import { randomBytes } from 'node:crypto';
import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { uuidv7 } from 'uuidv7';
import { sealingKeyId, SecretKeyring } from '#libs/domain';
import { Database, EndpointStore, migrate, sealedKinds, SealedStore, sealedTables } from '#libs/persistence';
import { countByKey, reencrypt } from '../../apps/api/src/reencrypt/reencrypt.js';
import { eventually } from '../support/eventually.js';
import { packageRoot } from '../support/package-root.js';
import { startTestPostgres, type TestPostgres } from '../support/postgres.js';

const run = promisify(execFile);
const entry = (id: string, fill: number) => `${id}:${Buffer.alloc(32, fill).toString('base64')}`;
const old = SecretKeyring.parse(entry('old', 1), randomBytes);
const rotatedText = `${entry('new', 2)},${entry('old', 1)}`;
const rotated = SecretKeyring.parse(rotatedText, randomBytes);
const foreign = SecretKeyring.parse(entry('lost', 3), randomBytes);

let postgres: TestPostgres;
let url: string;
let database: Database;
let store: SealedStore;
let accountId: string;

beforeAll(async () => {
  postgres = await startTestPostgres();
}, 60_000);

beforeEach(async () => {
  url = await postgres.createDatabase();
  await migrate(url);
  database = new Database({ url, purpose: 'work', poolSize: 4 });
  store = new SealedStore(database);
  accountId = uuidv7();
  await sql('INSERT INTO accounts (id, name) VALUES ($1::uuid, $1::text)', [accountId]);
}, 30_000);

afterEach(() => database.close());
afterAll(() => postgres.stop(), 60_000);

function sql<Row extends object>(text: string, values: unknown[] = []): Promise<Row[]> {
  return database.query<Row>({ name: '', text }, values);
}

async function addEndpoint(keyring: SecretKeyring, headers: string | null): Promise<string> {
  const id = uuidv7();
  const endpoint = {
    ...{ id, accountId, url: 'https://example.com', eventTypes: ['*'], description: null, metadata: {} },
    ...{ retrySchedule: null, createdAt: new Date(), sealedHeaders: headers === null ? null : keyring.seal(headers) },
  };
  const secret = { id: uuidv7(), sealed: keyring.seal(`secret of ${id}`) };
  await database.transaction((tx) => new EndpointStore(tx).insert(tx, endpoint, secret));
  return id;
}

async function addAnswer(key: string, body: Buffer, isSealed: boolean): Promise<void> {
  await sql(
    `INSERT INTO idempotency_keys (account_id, route, key, fingerprint, status, content_type, body, is_sealed)
     VALUES ($1, 'POST /v1/webhook-endpoints', $2, '', 201, '', $3, $4)`,
    [accountId, key, body, isSealed],
  );
}

/** A queued job, of each of whose inputs this is the password. */
async function addJob(keyring: SecretKeyring, passwords: readonly (string | null)[]): Promise<string> {
  const id = uuidv7();
  await sql(
    `INSERT INTO jobs (id, account_id, operation, options, metadata, progress_total, progress_unit, created_at)
     VALUES ($1, $2, 'merge', '{}', '{}', 1, 'inputs', now())`,
    [id, accountId],
  );
  await sql(
    `INSERT INTO job_inputs (job_id, index, sealed_password)
     SELECT $1, place - 1, sealed FROM unnest($2::text[]) WITH ORDINALITY AS input (sealed, place)`,
    [id, passwords.map((password) => (password === null ? null : keyring.seal(password)))],
  );
  return id;
}

async function secretOf(endpointId: string): Promise<string> {
  const [row] = await sql<{ sealed: string }>('SELECT sealed FROM endpoint_secrets WHERE endpoint_id = $1', [
    endpointId,
  ]);
  return row?.sealed ?? '';
}

/** Runs the command with this SECRET_KEY. */
async function command(secretKey: string, ...words: string[]) {
  const file = join(packageRoot, 'dist', 'apps', 'api', 'src', 'cli', 'reencrypt.js');
  const env = { ...process.env, NODE_OPTIONS: '', DATABASE_URL: url, SECRET_KEY: secretKey };
  return run(process.execPath, [file, ...words], { env, timeout: 20_000 }).then(
    ({ stdout, stderr }) => ({ code: 0, stdout, stderr }),
    (error: { code: number; stdout: string; stderr: string }) => error,
  );
}

describe('npm run reencrypt', () => {
  it('seals every value again with the first key, and nothing in it changes (contract 4.1)', async () => {
    const ids = await Promise.all(Array.from({ length: 520 }, () => addEndpoint(old, '{"x":"1"}')));
    const fresh = await addEndpoint(rotated, null);
    const freshSecret = await secretOf(fresh);
    for (let number = 0; number < 3; number += 1) await addAnswer(`k${number}`, Buffer.from(old.seal('answer')), true);
    await addAnswer('plain', Buffer.from('{"not":"sealed"}'), false);
    await addJob(old, ['one', null, 'three']);
    const { code, stdout } = await command(rotatedText);
    expect(code).toBe(0);
    expect(stdout).toContain('passwords of inputs: 2 encrypted again with new; now 2 under new');
    expect(stdout).toContain('endpoint secrets: 520 encrypted again with new; now 521 under new');
    expect(stdout).toContain('endpoint headers: 520 encrypted again with new; now 520 under new');
    expect(stdout).toContain('stored answers: 3 encrypted again with new; now 3 under new');
    const alone = SecretKeyring.parse(entry('new', 2), randomBytes);
    for (const id of ids) expect(alone.open(await secretOf(id))).toBe(`secret of ${id}`);
    expect(await secretOf(fresh)).toBe(freshSecret);
    const answers = await sql<{ key: string; body: Buffer }>('SELECT key, body FROM idempotency_keys ORDER BY key');
    expect(answers.map(({ key, body }) => (key === 'plain' ? body.toString() : alone.open(body.toString())))).toEqual([
      ...['answer', 'answer', 'answer'],
      '{"not":"sealed"}',
    ]);
    const inputs = await sql<{ sealed: string | null }>(
      'SELECT sealed_password AS sealed FROM job_inputs ORDER BY index',
    );
    expect(inputs.map(({ sealed }) => (sealed === null ? null : alone.open(sealed)))).toEqual(['one', null, 'three']);
    expect((await command(rotatedText)).stdout).toContain('endpoint secrets: 0 encrypted again with new');
  }, 60_000);

  it('goes on where another run was broken off', async () => {
    const ids = await Promise.all(Array.from({ length: 3 }, () => addEndpoint(old, null)));
    const { values } = await store.page('endpoint secrets', null, 1);
    const [first] = values;
    if (first === undefined) throw new Error('nothing is sealed');
    await store.replace('endpoint secrets', [{ ...first, fresh: rotated.seal(old.open(first.sealed)) }]);
    expect(await reencrypt(store, rotated, 'endpoint secrets')).toBe(2);
    for (const id of ids) expect(sealingKeyId(await secretOf(id))).toBe('new');
  }, 30_000);

  it('never overwrites what a process wrote meanwhile', async () => {
    const id = await addEndpoint(old, null);
    const { values } = await store.page('endpoint secrets', null, 10);
    const written = old.seal('written meanwhile');
    await sql('UPDATE endpoint_secrets SET sealed = $2 WHERE endpoint_id = $1', [id, written]);
    const replaced = await store.replace(
      'endpoint secrets',
      values.map((value) => ({ ...value, fresh: rotated.seal(old.open(value.sealed)) })),
    );
    expect(replaced).toBe(0);
    expect(await secretOf(id)).toBe(written);
  }, 30_000);

  it('leaves what it cannot open, says under which key it is, and ends with 1', async () => {
    await addEndpoint(foreign, null);
    await addEndpoint(old, null);
    const { code, stdout, stderr } = await command(rotatedText);
    expect(code).toBe(1);
    expect(stdout).toContain('endpoint secrets: 1 encrypted again with new; now');
    expect(stdout).toContain('1 under lost');
    expect(stderr).toContain('1 value(s) are left under other keys');
    expect(await countByKey(store, 'endpoint secrets')).toEqual(
      new Map([
        ['lost', 1],
        ['new', 1],
      ]),
    );
  }, 30_000);

  it('explains itself, and says what it misses', async () => {
    expect((await command(rotatedText, '--help')).stdout).toContain('npm run reencrypt');
    expect((await command('nonsense')).stderr).toContain('SECRET_KEY');
  }, 30_000);

  it('knows every column that is sealed', async () => {
    const columns = await sql<{ name: string }>(
      `SELECT table_name || '.' || column_name AS name FROM information_schema.columns
       WHERE table_schema = 'public' AND column_name ~ 'sealed' ORDER BY 1`,
    );
    expect(columns.map(({ name }) => name)).toEqual([
      'endpoint_secrets.sealed',
      'idempotency_keys.is_sealed',
      'job_inputs.sealed_password',
      'webhook_endpoints.sealed_headers',
    ]);
    expect(sealedKinds).toHaveLength(columns.length);
  }, 30_000);

  it('walks every table by its primary key, in the order of the columns of its index', async () => {
    for (const { name, key } of Object.values(sealedTables)) {
      const columns = await sql<{ column: string }>(
        `SELECT attribute.attname AS column
         FROM pg_index AS index
         CROSS JOIN LATERAL unnest(index.indkey::smallint[]) WITH ORDINALITY AS part (number, place)
         JOIN pg_attribute AS attribute ON attribute.attrelid = index.indrelid AND attribute.attnum = part.number
         WHERE index.indisprimary AND index.indrelid = $1::regclass
         ORDER BY part.place`,
        [name],
      );
      expect({ name, key: columns.map(({ column }) => column) }).toEqual({ name, key });
    }
  }, 30_000);

  it('locks rows in the order of their keys, however the values are given', async () => {
    for (let number = 0; number < 3; number += 1) await addEndpoint(old, null);
    const { values } = await store.page('endpoint secrets', null, 10);
    const [first, second, third] = values.map(({ place }) => place[0]);
    const fresh = values.map((value) => ({ ...value, fresh: rotated.seal(old.open(value.sealed)) })).reverse();
    let replaced = Promise.resolve(0);
    await database.transaction(async (tx) => {
      await tx.query({ name: '', text: 'SELECT FROM endpoint_secrets WHERE id = $1 FOR UPDATE' }, [second]);
      replaced = store.replace('endpoint secrets', fresh);
      const free = async () =>
        (await sql<{ id: string }>('SELECT id FROM endpoint_secrets ORDER BY id FOR UPDATE SKIP LOCKED')).map(
          ({ id }) => id,
        );
      await eventually(async () => !(await free()).includes(first ?? ''), { withinMs: 5_000 });
      expect(await free()).toEqual([third]);
    });
    expect(await replaced).toBe(3);
  }, 30_000);
});
