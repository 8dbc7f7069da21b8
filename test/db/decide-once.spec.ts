import { createHash, randomBytes } from 'node:crypto';
import { ServerResponse } from 'node:http';
import { RequestRefused } from '#libs/contract';
import { SecretKeyring } from '#libs/domain';
import { ApiKeyStore, Database, IdempotencyStore, migrate, statement } from '#libs/persistence';
import pg from 'pg';
import { uuidv7 } from 'uuidv7';
import { jsonAnswer } from '../../apps/api/src/http/json-answer.js';
import type { CreateIntent } from '../../apps/api/src/idempotency/create-intent.js';
import type { TransactionWork } from '../../apps/api/src/idempotency/create-work.js';
import { DecideOnce } from '../../apps/api/src/idempotency/decide-once.js';
import { Entry } from '../../apps/api/src/idempotency/entry.js';
import { LookUpKeys } from '../../apps/api/src/idempotency/look-up-keys.js';
import { RecentKeys } from '../../apps/api/src/idempotency/recent-keys.js';
import { TakeTurns } from '../../apps/api/src/idempotency/take-turns.js';
import { SharedCharges } from '../../apps/api/src/rate-limit/shared-charges.js';
import { findKeys } from '../../libs/persistence/src/admission/idempotency.sql.js';
import { startTestPostgres, type TestPostgres } from '../support/postgres.js';

const route = 'POST /v1/jobs/job_1/cancel';
const keyTtlMs = 60_000;
const count = statement('count-up', 'UPDATE counted SET times = times + 1 RETURNING times');

let postgres: TestPostgres;
let url: string;
let database: Database;
let keys: IdempotencyStore;
let caller: CreateIntent['caller'];

beforeAll(async () => {
  postgres = await startTestPostgres();
  url = await postgres.createDatabase();
  await migrate(url);
  await run('CREATE TABLE counted (times integer NOT NULL)');
  database = new Database({ url, purpose: 'admission', poolSize: 20 });
  keys = new IdempotencyStore(database);
}, 60_000);

afterAll(async () => {
  await database.close();
  await postgres.stop();
});

beforeEach(async () => {
  await run('TRUNCATE accounts, idempotency_keys CASCADE');
  await run('TRUNCATE counted');
  await run('INSERT INTO counted VALUES (0)');
  caller = { accountId: uuidv7(), keyId: uuidv7(), scopes: [], rateLimit: null };
  const { accountId, keyId } = caller;
  await database.transaction(async (tx) => {
    const store = new ApiKeyStore(database);
    await store.createAccount(tx, { id: accountId, name: 'test' });
    const secretSha256 = createHash('sha256').update(keyId).digest();
    await store.create(tx, { id: keyId, accountId, name: 'test', secretSha256, scopes: [] });
  });
});

function run<Row extends pg.QueryResultRow>(sql: string): Promise<Row[]> {
  return postgres.query<Row>(sql, [], url);
}

async function times(): Promise<number> {
  const [row] = await run<{ times: number }>('SELECT times FROM counted');
  return row?.times ?? 0;
}

/** What decides in one process of several. */
function process(): DecideOnce {
  const keyring = SecretKeyring.parse(`k1:${Buffer.alloc(32, 1).toString('base64')}`, randomBytes);
  return new DecideOnce({ keys, keyring, database, keyTtlMs, turns: new TakeTurns() });
}

async function intentOf(key: string | null = 'k', text = 'same'): Promise<CreateIntent> {
  const asked = key === null ? null : { accountId: caller.accountId, route, key, apiKeyId: caller.keyId };
  const parts = {
    lookUps: new LookUpKeys(keys),
    charges: new SharedCharges(),
    recent: new RecentKeys(),
    now: () => Date.now(),
  };
  const client = new ServerResponse({ method: 'POST' } as never);
  const entry = new Entry(parts, { key: asked, budget: null, client });
  await entry.begin();
  const identity = { method: 'POST', route, query: '', body: { kind: 'json', json: text } } as const;
  return { caller, route, key, identity, entry };
}

const counting: TransactionWork = {
  answerIn: async (tx) => {
    const [row] = await tx.query<{ times: number }>(count);
    return { answer: jsonAnswer(200, '/v1/counted', { times: row?.times }) };
  },
};

const refusing: TransactionWork = {
  answerIn: async (tx) => {
    await tx.query(count);
    throw new RequestRefused('job_finished', 'it has ended');
  },
};

describe('keys that are looked up together', () => {
  const asked = (key: string) => ({ accountId: caller.accountId, route, key, apiKeyId: caller.keyId });

  it('are found in the order in which they were asked for, one asked twice too', async () => {
    const write = { answerIn: async () => ({ answer: jsonAnswer(200, null, {}) }) };
    for (const key of ['a', 'b']) await process().decide(await intentOf(key, `v1:${key}`), async () => write);
    const found = await keys.findAll(['b', 'none', 'a', 'b'].map(asked));
    const made = found.map((each) => each?.fingerprint ?? null);
    expect(made).toEqual([made[0], null, made[2], made[0]]);
    expect(new Set(made).size).toBe(3);
    const stranger = { ...asked('a'), accountId: uuidv7() };
    expect(await keys.findAll([stranger])).toEqual([null]);
  });

  it('are shown to be of no use to a revoked API key', async () => {
    await process().decide(await intentOf('a'), async () => counting);
    await run('UPDATE api_keys SET revoked_at = now()');
    expect(await keys.findAll([asked('a')])).toMatchObject([{ isAuthorized: false }]);
  });

  it('are read by their index, also when the plan is made while the table is empty', async () => {
    const explain = statement('explain-find-keys', `EXPLAIN ${findKeys.text}`);
    const values = [[caller.accountId], [route], ['a'], [caller.keyId]];
    const plan = await database.query<Record<string, string>>(explain, values);
    const lines = plan.flatMap((line) => Object.values(line));
    expect(lines.join('\n')).toContain('Index Scan using idempotency_keys_pkey');
    expect(lines.join('\n')).not.toContain('Seq Scan');
  });
});

describe('a write whose answer only its transaction knows', () => {
  const decide = async (work = counting, intent = intentOf(), by = process()) =>
    by.decide(await intent, async () => work);

  it('is answered with what it came to, and so is each of its replays', async () => {
    const first = await decide();
    expect(JSON.parse(first.answer.body.toString())).toEqual({ times: 1 });
    expect(first.isReplayed).toBe(false);
    expect(await decide()).toEqual({ ...first, isReplayed: true });
    expect(await times()).toBe(1);
  });

  it('is made once by fifty requests of five processes, which all get its answer (contract 1.4)', async () => {
    const processes = Array.from({ length: 5 }, process);
    const decisions = await Promise.all(
      Array.from({ length: 50 }, (_, index) => decide(counting, intentOf(), processes[index % 5])),
    );
    expect(decisions.filter(({ isReplayed }) => !isReplayed)).toHaveLength(1);
    expect(new Set(decisions.map(({ answer }) => answer.body.toString()))).toEqual(new Set(['{"times":1}']));
    expect(await times()).toBe(1);
  });

  it('leaves nothing when it is refused, and its key free (contract 1.9)', async () => {
    await expect(decide(refusing)).rejects.toMatchObject({ code: 'job_finished' });
    expect(await times()).toBe(0);
    expect(await run('SELECT FROM idempotency_keys')).toEqual([]);
    expect((await decide()).isReplayed).toBe(false);
  });

  it('is a replay under a known key, and for another request a conflict, though it would be refused now (contract 1.7)', async () => {
    const [again, other] = [intentOf(), intentOf('k', 'other')];
    await Promise.all([again, other]);
    const first = await decide();
    expect(await decide(refusing, again)).toEqual({ ...first, isReplayed: true });
    await expect(decide(refusing, other)).rejects.toMatchObject({ code: 'idempotency_key_reused' });
  });

  it('is answered by no release that cannot compare what the key was used for: 503, never another key (contract 1.5)', async () => {
    await decide();
    await run(`UPDATE idempotency_keys SET fingerprint = replace(fingerprint, 'v1', 'v2')`);
    await expect(decide()).rejects.toMatchObject({ code: 'unavailable' });
    expect(await times()).toBe(1);
  });

  it('is written without a key too', async () => {
    expect((await decide(counting, intentOf(null))).isReplayed).toBe(false);
    expect((await decide(counting, intentOf(null))).isReplayed).toBe(false);
    expect(await times()).toBe(2);
  });

  it('is refused when the API key was revoked meanwhile, with a key and without (contract 7.2)', async () => {
    const intents = await Promise.all([intentOf('k'), intentOf(null)]);
    await run('UPDATE api_keys SET revoked_at = now()');
    for (const intent of intents)
      await expect(decide(counting, Promise.resolve(intent))).rejects.toMatchObject({ code: 'unauthenticated' });
    expect(await times()).toBe(0);
  });

  it('tells a key that is in use from a row that somebody else has locked, which is 503 (contract 1.8, 1.12)', async () => {
    const locking = async (sql: string, tried: () => Promise<unknown>): Promise<unknown> => {
      const client = new pg.Client(url);
      await client.connect();
      await client.query('BEGIN');
      await client.query(sql);
      const error = await tried().catch((thrown: unknown) => thrown);
      await client.end();
      return error;
    };
    expect(await locking('UPDATE counted SET times = 7', () => decide())).toMatchObject({ code: 'unavailable' });
    expect(await locking('LOCK TABLE counted', () => decide())).toMatchObject({ code: 'unavailable' });
    const takeKey = `INSERT INTO idempotency_keys (account_id, route, key, fingerprint, status, content_type, body)
      VALUES ('${caller.accountId}', '${route}', 'k', 'v1:other', 200, 'x', '')`;
    expect(await locking(takeKey, () => decide())).toMatchObject({ code: 'idempotency_key_in_use' });
    expect((await decide()).isReplayed).toBe(false);
    const expireKey = `UPDATE idempotency_keys SET expires_at = now()`;
    await run(expireKey);
    expect(await locking(expireKey, () => decide())).toMatchObject({ code: 'idempotency_key_in_use' });
  }, 20_000);

  it('is made again under an expired key at once, before any purge, and by one of many requests only (contract 1.11)', async () => {
    await decide();
    await run('UPDATE idempotency_keys SET expires_at = now()');
    const others = await Promise.all(Array.from({ length: 5 }, () => decide(counting, intentOf('k', 'other'))));
    expect(others.filter(({ isReplayed }) => !isReplayed)).toHaveLength(1);
    expect(new Set(others.map(({ answer }) => answer.body.toString()))).toEqual(new Set(['{"times":2}']));
    expect(await run('SELECT FROM idempotency_keys')).toHaveLength(1);
    await expect(decide()).rejects.toMatchObject({ code: 'idempotency_key_reused' });
  });

  it('is kept under its key for the lifetime of keys from its creation, under an expired key too (contract 1.11)', async () => {
    const lifetimes = () =>
      run('SELECT extract(epoch FROM expires_at - created_at)::float8 * 1000 AS ms FROM idempotency_keys');
    const kept = [{ ms: keyTtlMs }];
    await decide();
    expect(await lifetimes()).toEqual(kept);
    await run(`UPDATE idempotency_keys SET created_at = now() - interval '1 day', expires_at = now()`);
    await decide();
    expect(await lifetimes()).toEqual(kept);
  });

  it('keeps a secret sealed and shows it in a replay', async () => {
    const work: TransactionWork = {
      showsSecret: true,
      answerIn: async () => ({ answer: jsonAnswer(200, null, { secret: 'whsec_1' }) }),
    };
    const first = await decide(work);
    expect((await decide(work)).answer).toEqual(first.answer);
    const [row] = await run<{ body: Buffer; is_sealed: boolean }>('SELECT body, is_sealed FROM idempotency_keys');
    expect(row?.is_sealed).toBe(true);
    expect(row?.body.includes('whsec_1')).toBe(false);
  });
});
