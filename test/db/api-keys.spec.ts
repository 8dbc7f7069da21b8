import { createHash, randomBytes } from 'node:crypto';
import { ApiKeyStore, Database, databaseState, isSchemaMissing, migrate, revertMigration } from '#libs/persistence';
import { uuidv7 } from 'uuidv7';
import { createApiKey } from '../../apps/api/src/manage-api-keys/create-api-key.js';
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
  it('are listed by account, without a secret, revoked ones too (contract 7.1)', async () => {
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

  it('that are revoked open nothing, and stay revoked since the first time (contract 7.2)', async () => {
    const keys = new ApiKeyStore(database);
    const id = await createApiKey(database, 'secret-4', { account: 'acme', name: 'four', scopes: ['admin'] });
    const revokedAt = await keys.revoke(id);
    expect(await keys.revoke(id)).toEqual(revokedAt);
    expect(await keys.isLive(id)).toBe(false);
    expect(await keys.revoke(uuidv7())).toBeNull();
  });

  it('are read page by page, newest first, those of one account alone', async () => {
    const keys = new ApiKeyStore(database);
    const account = `account ${uuidv7()}`;
    const make = (name: string) => createApiKey(database, `secret of ${name}`, { account, name, scopes: ['admin'] });
    const ids = [await make('one'), await make('two'), await make('three')].reverse();
    await createApiKey(database, `secret of ${uuidv7()}`, { account: uuidv7(), name: 'other', scopes: ['admin'] });
    await keys.revoke(ids[1] ?? '');
    const accountId = (await keys.findBySecret(sha256('secret of one')))?.accountId ?? '';
    const first = await keys.page(accountId, { limit: 2 });
    expect(first.map(({ id }) => id)).toEqual(ids.slice(0, 2));
    expect(first[1]).toMatchObject({ name: 'two', revokedAt: expect.any(Date) });
    const rest = await keys.page(accountId, { before: ids[1], limit: 2 });
    expect(rest.map(({ id }) => id)).toEqual(ids.slice(2));
  });

  it('are revoked within the account that is named, and by no other (contract 7.3)', async () => {
    const keys = new ApiKeyStore(database);
    const id = await createApiKey(database, 'secret-5', { account: 'owner', name: 'five', scopes: ['admin'] });
    const owner = (await keys.findBySecret(sha256('secret-5')))?.accountId ?? '';
    expect(await keys.revoke(id, uuidv7())).toBeNull();
    expect(await keys.isLive(id)).toBe(true);
    expect(await keys.revoke(id, owner)).toEqual(expect.any(Date));
    expect(await keys.isLive(id)).toBe(false);
  });

  it('are made by a live key of the same account, and not by a revoked one (contract 7.2)', async () => {
    const keys = new ApiKeyStore(database);
    const issuerId = await createApiKey(database, 'secret-6', { account: 'issuer', name: 'six', scopes: ['admin'] });
    const accountId = (await keys.findBySecret(sha256('secret-6')))?.accountId ?? '';
    const createdAt = new Date('2026-11-30T10:00:00.123Z');
    const issue = (secret: string, of = accountId) =>
      database.transaction((tx) =>
        keys.issue(tx, {
          ...{ issuerId, id: uuidv7(), accountId: of, name: secret, createdAt },
          ...{ secretSha256: sha256(secret), scopes: ['jobs:read'] },
        }),
      );
    expect(await issue('secret-7')).toBe(true);
    expect(await keys.findBySecret(sha256('secret-7'))).toMatchObject({ accountId, scopes: ['jobs:read'] });
    expect((await keys.page(accountId, { limit: 1 }))[0]).toMatchObject({ name: 'secret-7', createdAt });
    expect(await issue('secret-8', uuidv7())).toBe(false);
    await keys.revoke(issuerId);
    expect(await issue('secret-9')).toBe(false);
    expect(await keys.findBySecret(sha256('secret-9'))).toBeNull();
  });
});

function sha256(text: string): Buffer {
  return createHash('sha256').update(text).digest();
}
