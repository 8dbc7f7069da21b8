import { parseSetting, readSettings, type Scope, scopes, SettingProblem } from '#libs/contract';
import { typeId, uuidOf } from '#libs/domain';
import { ApiKeyStore, type Database, type ListedApiKey, RateLimitStore } from '#libs/persistence';
import { runCommand } from '#libs/process';
import { apiKeySecret, createApiKey } from '../manage-api-keys/create-api-key.js';
import { withDatabase } from './with-database.js';

type Given = Readonly<Record<string, string | undefined>>;

const verbs = {
  create: 'makes a key: its secret goes to standard output, once, its id to standard error',
  list: 'lists the keys of an account, without their secrets',
  revoke: 'revokes the key with this id; requests are refused within a second',
  limit: 'sets how many new requests the account may make; it counts within a second',
} as const;

const options = {
  account: { type: 'string', about: 'create, list, limit: the account; create makes it if there is none of that name' },
  name: { type: 'string', about: 'create: what the key is for' },
  scopes: { type: 'string', about: `create: comma-separated (default: all): ${scopes.join(', ')}` },
  rate: { type: 'string', about: 'limit: such as 100/60s, off, or default, which is what RATE_LIMIT says' },
} as const;

const usage =
  'npm run keys -- create --account NAME [options] | list --account NAME | revoke KEY_ID | limit --account NAME --rate RATE';

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
  if (verb === 'limit') return limiting(account, rateOf(given['rate']));
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
    // An account is made with its first key, and no key is ever removed but with it.
    const keys = await new ApiKeyStore(database).list(account);
    if (keys.length === 0) throw new Error(`there is no account ${account}`);
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

function limiting(account: string, rate: string | null): (database: Database) => Promise<void> {
  return async (database) => {
    const isSet = await new RateLimitStore(database).setLimit(account, rate);
    if (!isSet) throw new Error(`there is no account ${account}`);
    console.log(`${account} has the limit ${rate ?? 'of RATE_LIMIT'}`);
  };
}

function rateOf(text = ''): string | null {
  if (text === 'default') return null;
  try {
    const rate = parseSetting('rate', text);
    return rate === null ? 'off' : `${rate.units}/${rate.windowSeconds}s`;
  } catch (error) {
    if (!(error instanceof SettingProblem)) throw error;
    throw new Error(`--rate ${error.message}, or default`, { cause: error });
  }
}

function scopesOf(text: string | undefined): readonly Scope[] {
  if (text === undefined) return scopes;
  return [...new Set(text.split(',').map((word) => scopeOf(word.trim())))];
}

function scopeOf(word: string): Scope {
  const scope = scopes.find((known) => known === word);
  if (scope === undefined) throw new Error(`unknown scope ${word}; there are ${scopes.join(', ')}`);
  return scope;
}
