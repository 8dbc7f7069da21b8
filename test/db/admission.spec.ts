import { createHash } from 'node:crypto';
import { jobSubmittedCommand } from '#libs/domain';
import {
  ApiKeyStore,
  Database,
  type IdempotencyRecord,
  IdempotencyStore,
  isKeyLocked,
  AdmissionStore,
  type KeyMode,
  migrate,
  type NewJob,
  PruneStore,
} from '#libs/persistence';
import pg from 'pg';
import { uuidv7 } from 'uuidv7';
import { eventually } from '../support/eventually.js';
import { startTestPostgres, type TestPostgres } from '../support/postgres.js';
import { waitingForLocks } from '../support/waiting-for-locks.js';

const route = 'POST /v1/jobs';
const commands = { topic: 'pdfonce.jobs.v1', state: 'pending' as const };

let postgres: TestPostgres;
let url: string;
let database: Database;
let admissions: AdmissionStore;
let keys: IdempotencyStore;
let caller: { readonly accountId: string; readonly keyId: string };

beforeAll(async () => {
  postgres = await startTestPostgres();
  url = await postgres.createDatabase();
  await migrate(url);
  database = new Database({ url, purpose: 'admission', poolSize: 60 });
  admissions = new AdmissionStore(database, commands);
  keys = new IdempotencyStore(database);
}, 60_000);

afterAll(async () => {
  await database.close();
  await postgres.stop();
});

beforeEach(async () => {
  await run('TRUNCATE accounts, idempotency_keys, outbox CASCADE');
  caller = { accountId: uuidv7(), keyId: uuidv7() };
  await database.transaction(async (tx) => {
    const store = new ApiKeyStore(database);
    await store.createAccount(tx, { id: caller.accountId, name: caller.accountId });
    const secretSha256 = createHash('sha256').update(caller.keyId).digest();
    await store.create(tx, { id: caller.keyId, accountId: caller.accountId, name: 'test', secretSha256, scopes: [] });
  });
});

function run<Row extends pg.QueryResultRow>(sql: string, values: unknown[] = []): Promise<Row[]> {
  return postgres.query<Row>(sql, values, url);
}

async function counts() {
  const [row] = await run<{ jobs: number; keys: number; commands: number }>(
    `SELECT (SELECT count(*)::int FROM jobs) AS jobs, (SELECT count(*)::int FROM idempotency_keys) AS keys,
            (SELECT count(*)::int FROM outbox) AS commands`,
  );
  return row;
}

function newJob(key: string | null = 'order-42'): NewJob {
  const id = uuidv7();
  const createdAt = new Date();
  return {
    id,
    accountId: caller.accountId,
    operation: 'merge',
    options: {},
    metadata: {},
    idempotencyKey: key,
    progress: { done: 0, total: 1, unit: 'inputs' },
    createdAt,
    inputs: [],
    command: jobSubmittedCommand(uuidv7(), id, 'merge', createdAt),
  };
}

function recordOf(job: NewJob, fingerprint = 'v1:same'): IdempotencyRecord {
  const body = JSON.stringify({ id: job.id });
  const answer = { status: 202, location: `/v1/jobs/${job.id}`, contentType: 'application/json', body };
  return { ...caller, route, key: 'order-42', fingerprint, answer, isSealed: false };
}

function admit(mode: KeyMode = 'insert', job = newJob()) {
  return admissions.admitJob(caller.keyId, job, { record: recordOf(job), mode });
}

async function find() {
  const [found = null] = await keys.findAll([{ ...caller, route, key: 'order-42', apiKeyId: caller.keyId }]);
  return found;
}

/** A session that holds a lock or an open write until the test ends it. */
async function session(): Promise<pg.Client> {
  const client = new pg.Client({ connectionString: url });
  client.on('error', () => undefined);
  await client.connect();
  await client.query('BEGIN');
  return client;
}

async function expireKey(): Promise<void> {
  await run(`UPDATE idempotency_keys SET expires_at = now() - interval '1 second'`);
}

describe('admission', () => {
  it('lets exactly one of 50 requests with one key make a job, and leaves nothing of the others (contract 1.4)', async () => {
    const outcomes = await Promise.all(Array.from({ length: 50 }, () => admit()));
    expect(outcomes.filter(({ kind }) => kind === 'admitted')).toHaveLength(1);
    expect(outcomes.filter(({ kind }) => kind === 'held')).toHaveLength(49);
    expect(await counts()).toEqual({ jobs: 1, keys: 1, commands: 1 });
  });

  it('lets a loser read the winner in its next statement (contract 1.4, 1.6)', async () => {
    const job = newJob();
    await admit('insert', job);
    expect(await admit()).toEqual({ kind: 'held' });
    const found = await find();
    expect(found).toMatchObject({ fingerprint: 'v1:same', isExpired: false, answer: recordOf(job).answer });
  });

  it('makes the waiting request the creator when the first one rolls back (contract 1.4, 1.8)', async () => {
    const first = await session();
    await first.query(
      `INSERT INTO idempotency_keys (account_id, route, key, fingerprint, status, content_type, body)
       VALUES ($1, $2, 'order-42', 'v1:other', 202, 'x', '')`,
      [caller.accountId, route],
    );
    const second = admit();
    await eventually(async () => (await waitingForLocks(run)) > 0, { withinMs: 5_000 });
    await first.query('ROLLBACK');
    await first.end();
    expect(await second).toMatchObject({ kind: 'admitted' });
    expect(await counts()).toEqual({ jobs: 1, keys: 1, commands: 1 });
  });

  it('gives up waiting for an open first request within its bound, by an error that says so (contract 1.8)', async () => {
    const first = await session();
    await first.query(
      `INSERT INTO idempotency_keys (account_id, route, key, fingerprint, status, content_type, body)
       VALUES ($1, $2, 'order-42', 'v1:other', 202, 'x', '')`,
      [caller.accountId, route],
    );
    const error = await admit().catch((thrown: unknown) => thrown);
    expect(isKeyLocked(error)).toBe(true);
    await first.query('ROLLBACK');
    await first.end();
    expect(await admit()).toMatchObject({ kind: 'admitted' });
  });

  it('writes nothing for a revoked API key, with or without an idempotency key (contract 7.2)', async () => {
    await run('UPDATE api_keys SET revoked_at = now()');
    expect(await admit()).toEqual({ kind: 'unauthorized' });
    expect(await admissions.admitJob(caller.keyId, newJob(null), null)).toEqual({ kind: 'unauthorized' });
    expect(await counts()).toEqual({ jobs: 0, keys: 0, commands: 0 });
  });

  it('tells a revoked API key that it may not have the answer (contract 1.10)', async () => {
    await admit();
    expect(await find()).toMatchObject({ isAuthorized: true });
    await run('UPDATE api_keys SET revoked_at = now()');
    expect(await find()).toMatchObject({ isAuthorized: false });
  });

  it('makes a job of every request without a key (contract 1.2)', async () => {
    await Promise.all([1, 2, 3].map(() => admissions.admitJob(caller.keyId, newJob(null), null)));
    expect(await counts()).toEqual({ jobs: 3, keys: 0, commands: 3 });
  });

  it('says so when an input was collected before the statement, and writes nothing (contract 2.2)', async () => {
    const document = {
      objectId: uuidv7(),
      name: 'a.pdf',
      mediaType: 'application/pdf',
      sizeBytes: 1,
      sha256: 'ab',
    };
    const input = { document, source: null };
    await expect(admit('insert', { ...newJob(), inputs: [input] })).rejects.toMatchObject({
      constraint: 'job_inputs_object_exists',
    });
    expect(await counts()).toEqual({ jobs: 0, keys: 0, commands: 0 });
  });
});

describe('an expired key', () => {
  it('is replaced by exactly one of 20 requests (contract 1.11)', async () => {
    await admit();
    await expireKey();
    const outcomes = await Promise.all(Array.from({ length: 20 }, () => admit('replace')));
    expect(outcomes.filter(({ kind }) => kind === 'admitted')).toHaveLength(1);
    expect(await counts()).toEqual({ jobs: 2, keys: 1, commands: 2 });
  });

  it('is not replaced while it is live (contract 1.11)', async () => {
    await admit();
    expect(await admit('replace')).toEqual({ kind: 'held' });
    expect(await counts()).toEqual({ jobs: 1, keys: 1, commands: 1 });
  });

  it('counts as expired before it is purged (contract 1.11)', async () => {
    await admit();
    await expireKey();
    expect(await find()).toMatchObject({ isExpired: true });
  });

  it('survives a purge that runs while its replacement is not committed yet (contract 1.11)', async () => {
    await admit();
    await expireKey();
    const replacing = await session();
    await replacing.query('UPDATE idempotency_keys SET expires_at = NULL, fingerprint = $1 WHERE expires_at <= now()', [
      'v1:fresh',
    ]);
    await new PruneStore(database).keys(100);
    await replacing.query('COMMIT');
    await replacing.end();
    await new PruneStore(database).keys(100);
    expect(await find()).toMatchObject({ fingerprint: 'v1:fresh' });
  });
});
