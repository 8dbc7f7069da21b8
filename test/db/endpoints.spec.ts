import { uuidv7 } from 'uuidv7';
import { Database, EndpointStore, migrate, type NewEndpoint } from '#libs/persistence';
import { startTestPostgres, type TestPostgres } from '../support/postgres.js';

const mostEndpoints = 50;

let postgres: TestPostgres;
let database: Database;
let endpoints: EndpointStore;

beforeAll(async () => {
  postgres = await startTestPostgres();
  const url = await postgres.createDatabase();
  await migrate(url);
  database = new Database({ url, purpose: 'work', poolSize: 12 });
  endpoints = new EndpointStore(database);
}, 60_000);

afterAll(async () => {
  await database.close();
  await postgres.stop();
}, 60_000);

function run<Row extends object>(text: string, values: unknown[] = []): Promise<Row[]> {
  return database.query<Row>({ name: '', text }, values);
}

async function newAccount(): Promise<string> {
  const id = uuidv7();
  await run('INSERT INTO accounts (id, name) VALUES ($1::uuid, $1::text)', [id]);
  return id;
}

function newEndpoint(accountId: string): NewEndpoint {
  return {
    id: uuidv7(),
    accountId,
    url: 'https://example.com/hook',
    eventTypes: ['job.*'],
    description: null,
    sealedHeaders: null,
    metadata: {},
    retrySchedule: null,
    createdAt: new Date('2026-11-30T10:00:00.123Z'),
  };
}

async function insert(endpoint: NewEndpoint): Promise<NewEndpoint> {
  await database.transaction((tx) => endpoints.insert(tx, endpoint, { id: uuidv7(), sealed: 'sealed' }));
  return endpoint;
}

/** Adds an endpoint unless the account is full, and gives the count it decided by. */
async function addWithinLimit(accountId: string): Promise<number> {
  return database.transaction(async (tx) => {
    const count = await endpoints.lockAccountAndCount(tx, accountId);
    if (count < mostEndpoints) await endpoints.insert(tx, newEndpoint(accountId), { id: uuidv7(), sealed: 'sealed' });
    return count;
  });
}

describe('the endpoints of an account', () => {
  it('are never more than the limit, however many are added at once', async () => {
    const accountId = await newAccount();
    const counts = await Promise.all(Array.from({ length: 70 }, () => addWithinLimit(accountId)));
    const accepted = counts.filter((count) => count < mostEndpoints).sort((a, b) => a - b);
    expect(accepted).toEqual(Array.from({ length: mostEndpoints }, (_, index) => index));
    expect(counts.filter((count) => count >= mostEndpoints)).toEqual(Array.from({ length: 20 }, () => mostEndpoints));
    expect(await endpoints.list(accountId, { limit: 100 })).toHaveLength(mostEndpoints);
  }, 30_000);

  it('can be added while others wait without holding up the admission of jobs', async () => {
    const accountId = await newAccount();
    await database.transaction(async (tx) => {
      await endpoints.lockAccountAndCount(tx, accountId);
      await run(
        `INSERT INTO jobs (id, account_id, operation, options, metadata, progress_total, progress_unit, created_at)
         VALUES ($1, $2, 'merge', '{}', '{}', 1, 'inputs', now())`,
        [uuidv7(), accountId],
      );
    });
  }, 30_000);

  it('count for their own account alone, and no more once they are deleted', async () => {
    const [accountId, otherId] = [await newAccount(), await newAccount()];
    const endpoint = await insert(newEndpoint(accountId));
    await insert(newEndpoint(otherId));
    expect(await database.transaction((tx) => endpoints.lockAccountAndCount(tx, accountId))).toBe(1);
    await endpoints.markDeleted(accountId, endpoint.id);
    expect(await database.transaction((tx) => endpoints.lockAccountAndCount(tx, accountId))).toBe(0);
  });

  it('are read as they were written, born healthy with one secret', async () => {
    const accountId = await newAccount();
    const endpoint: NewEndpoint = {
      ...newEndpoint(accountId),
      eventTypes: ['job.completed', 'endpoint.*', '*'],
      description: 'orders "ä", {a,b}',
      sealedHeaders: 'k1.sealed',
      metadata: { team: 'billing', 'a"b': '{}' },
      retrySchedule: [1, 60, 86_400],
    };
    const secretId = uuidv7();
    await database.transaction((tx) => endpoints.insert(tx, endpoint, { id: secretId, sealed: 'k1.sealed' }));
    const read = {
      ...endpoint,
      accountId: undefined,
      state: 'healthy',
      failingSince: null,
      disabledAt: null,
      disabledReason: null,
      secrets: [{ id: secretId, createdAt: endpoint.createdAt, expiresAt: null }],
    };
    expect(await endpoints.find(accountId, endpoint.id)).toEqual(read);
    expect(await endpoints.list(accountId, { limit: 20 })).toEqual([read]);
  });

  it('are not there at all when their transaction is rolled back', async () => {
    const accountId = await newAccount();
    const endpoint = newEndpoint(accountId);
    const rolledBack = database.transaction(async (tx) => {
      await endpoints.insert(tx, endpoint, { id: uuidv7(), sealed: 'sealed' });
      throw new Error('the request failed');
    });
    await expect(rolledBack).rejects.toThrow('the request failed');
    expect(await endpoints.find(accountId, endpoint.id)).toBeNull();
  });

  it('show the secrets that still sign, newest first', async () => {
    const accountId = await newAccount();
    const { id } = await insert(newEndpoint(accountId));
    const [replaced, expired] = [uuidv7(), uuidv7()];
    await run(
      `INSERT INTO endpoint_secrets (id, endpoint_id, sealed, created_at, expires_at)
       VALUES ($1, $3, 'x', '2026-11-01T00:00:00Z', now() + interval '1 hour'), ($2, $3, 'x', '2026-10-01T00:00:00Z', now())`,
      [replaced, expired, id],
    );
    const secrets = (await endpoints.find(accountId, id))?.secrets ?? [];
    expect(secrets.map((secret) => secret.expiresAt === null)).toEqual([true, false]);
    expect(secrets[1]?.id).toBe(replaced);
  });

  it('are found, listed and deleted by nobody else', async () => {
    const [accountId, otherId] = [await newAccount(), await newAccount()];
    const endpoint = await insert(newEndpoint(accountId));
    expect(await endpoints.find(otherId, endpoint.id)).toBeNull();
    expect(await endpoints.list(otherId, { limit: 100 })).toEqual([]);
    expect(await endpoints.markDeleted(otherId, endpoint.id)).toBe(false);
    expect(await endpoints.find(accountId, endpoint.id)).not.toBeNull();
  });

  it('are deleted once, and gone then', async () => {
    const accountId = await newAccount();
    const endpoint = await insert(newEndpoint(accountId));
    const answers = await Promise.all([1, 2, 3].map(() => endpoints.markDeleted(accountId, endpoint.id)));
    expect(answers.filter(Boolean)).toHaveLength(1);
    expect(await endpoints.find(accountId, endpoint.id)).toBeNull();
    expect(await endpoints.list(accountId, { limit: 100 })).toEqual([]);
  });
});
