import { readSettings, type Scope, scopes } from '#libs/contract';
import { typeId, uuidOf } from '#libs/domain';
import { ApiKeyStore, type Database, type ListedApiKey } from '#libs/persistence';
import { runCommand } from '#libs/process';
import { apiKeySecret, createApiKey } from '../create-api-key.js';
import { withDatabase } from './with-database.js';

type Given = Readonly<Record<string, string | undefined>>;

const verbs = {
  create: 'makes a key: its secret goes to standard output, once, its id to standard error',
  list: 'lists the keys of an account, without their secrets',
  revoke: 'revokes the key with this id; requests are refused within a second',
} as const;

const options = {
  account: { type: 'string', about: 'create, list: the account; create makes it if there is none of that name' },
  name: { type: 'string', about: 'create: what the key is for' },
  scopes: { type: 'string', about: `create: comma-separated (default: all): ${scopes.join(', ')}` },
} as const;

const usage = 'npm run keys -- create --account NAME [options] | list --account NAME | revoke KEY_ID';

await runCommand({ usage, about: 'Manages API keys.', verbs, options }, async (given, [verb, keyId]) => {
  const work = workOf(verb as keyof typeof verbs, given, keyId);
  const { DATABASE_URL } = readSettings(process.env, ['DATABASE_URL']);
  await withDatabase(DATABASE_URL, work);
});

/** Everything that was given is checked before the database is opened. */
function workOf(
  verb: keyof typeof verbs,
  given: Given,
  keyId: string | undefined,
): (database: Database) => Promise<void> {
  if (verb === 'revoke') return revoking(keyId);
  const account = given['account']?.trim() ?? '';
  if (account === '') throw new Error('--account NAME is needed');
  return verb === 'list' ? listing(account) : creating(account, given);
}

function creating(account: string, given: Given): (database: Database) => Promise<void> {
  const request = { account, name: given['name'] ?? 'command line', scopes: scopesOf(given['scopes']) };
  return async (database) => {
    const secret = apiKeySecret();
    const id = await createApiKey(database, secret, request);
    console.error(typeId('key', id));
    console.log(secret);
  };
}

function listing(account: string): (database: Database) => Promise<void> {
  return async (database) => {
    const keys = await new ApiKeyStore(database).list(account);
    if (keys.length === 0) throw new Error(`the account ${account} has no keys`);
    for (const key of keys) console.log(lineOf(key));
  };
}

function lineOf(key: ListedApiKey): string {
  const used = key.lastUsedAt === null ? 'never used' : `last used ${key.lastUsedAt.toISOString()}`;
  const revoked = key.revokedAt === null ? 'live' : `revoked ${key.revokedAt.toISOString()}`;
  const created = `created ${key.createdAt.toISOString()}`;
  return [typeId('key', key.id), key.name, key.scopes.join(','), created, used, revoked].join('\t');
}

function revoking(keyId = ''): (database: Database) => Promise<void> {
  const uuid = uuidOf('key', keyId);
  if (uuid === null) throw new Error(keyId === '' ? 'KEY_ID is needed' : `${keyId} is no id of a key; list shows them`);
  return async (database) => {
    const revokedAt = await new ApiKeyStore(database).revoke(uuid);
    if (revokedAt === null) throw new Error(`there is no key ${keyId}`);
    console.log(`${keyId} is revoked since ${revokedAt.toISOString()}`);
  };
}

function scopesOf(text: string | undefined): readonly Scope[] {
  if (text === undefined) return scopes;
  return text.split(',').map((word) => {
    const scope = scopes.find((known) => known === word.trim());
    if (scope === undefined) throw new Error(`unknown scope ${word.trim()}; there are ${scopes.join(', ')}`);
    return scope;
  });
}
