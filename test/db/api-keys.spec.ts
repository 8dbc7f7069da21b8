import { randomBytes } from 'node:crypto';
import { ApiKeyStore, Database, databaseState, isSchemaMissing, migrate, revertMigration } from '#libs/persistence';
import { uuidv7 } from 'uuidv7';
import { createApiKey } from '../../apps/api/src/create-api-key.js';
import { startTestPostgres, type TestPostgres } from '../support/postgres.js';

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
}, 60_000);

describe('a database', () => {
  it('is unmigrated while it lacks the newest migration, and its errors say so', async () => {
    expect(await databaseState(database)).toBe('unmigrated');
    const error = await new ApiKeyStore(database).findBySecret(randomBytes(32)).catch((reason: unknown) => reason);
    expect(isSchemaMissing(error)).toBe(true);
    await migrate(url);
    expect(await databaseState(database)).toBe('reachable');
    await revertMigration(url);
    expect(await databaseState(database)).toBe('unmigrated');
    await migrate(url);
  });

  it('that nobody answers for is unreachable', async () => {
    const nowhere = new Database({ url: 'postgres://127.0.0.1:1/none', purpose: 'admission', poolSize: 1 });
    expect(await databaseState(nowhere)).toBe('unreachable');
    await nowhere.close();
  });
});

describe('API keys', () => {
  it('are listed by account, without a secret, revoked ones too', async () => {
    const keys = new ApiKeyStore(database);
    const first = await createApiKey(database, 'secret-1', { account: 'acme', name: 'one', scopes: ['jobs:read'] });
    const second = await createApiKey(database, 'secret-2', { account: 'acme', name: 'two', scopes: ['admin'] });
    await createApiKey(database, 'secret-3', { account: 'other', name: 'three', scopes: ['admin'] });
    await keys.touch(second);
    const revokedAt = await keys.revoke(first);
    const listed = await keys.list('acme');
    expect(listed).toEqual([
      { id: first, name: 'one', scopes: ['jobs:read'], createdAt: expect.any(Date), lastUsedAt: null, revokedAt },
      {
        id: second,
        name: 'two',
        scopes: ['admin'],
        createdAt: expect.any(Date),
        lastUsedAt: expect.any(Date),
        revokedAt: null,
      },
    ]);
  });

  it('that are revoked open nothing, and stay revoked since the first time', async () => {
    const keys = new ApiKeyStore(database);
    const id = await createApiKey(database, 'secret-4', { account: 'acme', name: 'four', scopes: ['admin'] });
    const revokedAt = await keys.revoke(id);
    expect(await keys.revoke(id)).toEqual(revokedAt);
    expect(await keys.isLive(id)).toBe(false);
    expect(await keys.revoke(uuidv7())).toBeNull();
  });
});
