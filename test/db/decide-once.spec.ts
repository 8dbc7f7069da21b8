import { createHash, randomBytes } from 'node:crypto';
import { ServerResponse } from 'node:http';
import { RequestRefused } from '#libs/contract';
import { SecretKeyring } from '#libs/domain';
import { ApiKeyStore, Database, IdempotencyStore, migrate, RateLimitStore, statement } from '#libs/persistence';
import pg from 'pg';
import { uuidv7 } from 'uuidv7';
import { jsonAnswer } from '../../apps/api/src/http/json-answer.js';
import type { DecidedAnswer } from '../../apps/api/src/http/send-answer.js';
import type { CreateIntent } from '../../apps/api/src/idempotency/create-intent.js';
import type { CreateWork, TransactionWork } from '../../apps/api/src/idempotency/create-work.js';
import { DecideOnce } from '../../apps/api/src/idempotency/decide-once.js';
import { Entry, type EntryParts } from '../../apps/api/src/idempotency/entry.js';
import { LookUpKeys } from '../../apps/api/src/idempotency/look-up-keys.js';
import { RecentKeys } from '../../apps/api/src/idempotency/recent-keys.js';
import { TakeTurns } from '../../apps/api/src/idempotency/take-turns.js';
import { AccountBudget } from '../../apps/api/src/rate-limit/account-budget.js';
import { SharedCharges } from '../../apps/api/src/rate-limit/shared-charges.js';
import { findKeys } from '../../libs/persistence/src/admission/idempotency.sql.js';
import { eventually } from '../support/eventually.js';
import { startTestPostgres, type TestPostgres } from '../support/postgres.js';

const route = 'POST /v1/jobs/job_1/cancel';
const keyTtlMs = 60_000;
const count = statement('count-up', 'UPDATE counted SET times = times + 1 RETURNING times');

let postgres: TestPostgres;
let url: string;
let database: Database;
let keys: IdempotencyStore;
/** Waits longer for a lock. */
let patient: Database;
let limits: RateLimitStore;
const holders: pg.Client[] = [];
let caller: CreateIntent['caller'];

beforeAll(async () => {
  postgres = await startTestPostgres();
  url = await postgres.createDatabase();
  await migrate(url);
  await run('CREATE TABLE counted (times integer NOT NULL)');
  database = new Database({ url, purpose: 'admission', poolSize: 20 });
  keys = new IdempotencyStore(database);
  patient = new Database({ url, purpose: 'work', poolSize: 2 });
  limits = new RateLimitStore(patient);
}, 60_000);

afterAll(async () => {
  await database.close();
  await patient.close();
  await postgres.stop();
});

afterEach(async () => {
  for (const holder of holders.splice(0)) await holder.end();
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

/** What stands apart from the common case when a request enters. */
interface Arriving extends Partial<EntryParts> {
  readonly budget?: AccountBudget;
}

function arrive(key: string | null, arriving: Arriving = {}): Entry {
  const asked = key === null ? null : { accountId: caller.accountId, route, key, apiKeyId: caller.keyId };
  const parts = {
    lookUps: new LookUpKeys(keys),
    charges: new SharedCharges(),
    recent: new RecentKeys(),
    now: () => Date.now(),
    ...arriving,
  };
  const client = new ServerResponse({ method: 'POST' } as never);
  return new Entry(parts, { key: asked, budget: arriving.budget ?? null, client });
}

async function intentOf(key: string | null = 'k', text = 'same', arriving: Arriving = {}): Promise<CreateIntent> {
  const entry = arrive(key, arriving);
  await entry.begin();
  const identity = { method: 'POST', route, query: '', body: { kind: 'json', json: text } } as const;
  return { caller, route, key, identity, entry };
}

async function decide(
  work: CreateWork = counting,
  intent: CreateIntent | Promise<CreateIntent> = intentOf(),
  by = process(),
): Promise<DecidedAnswer> {
  return by.decide(await intent, async () => work);
}

/** A transaction that has run this SQL and stays open, at most until the test ends. */
async function hold(sql: string): Promise<pg.Client> {
  const client = new pg.Client(url);
  await client.connect();
  holders.push(client);
  await client.query('BEGIN');
  await client.query(sql);
  return client;
}

/** What comes of it while another transaction holds what this SQL locks. */
async function locking(sql: string, tried: () => Promise<unknown>): Promise<unknown> {
  const holder = await hold(sql);
  const error = await tried().catch((thrown: unknown) => thrown);
  await holder.query('ROLLBACK');
  return error;
}

/** Whether a statement on this table waits for a lock. */
async function isWaitingFor(table: string): Promise<boolean> {
  const waiting = await run(
    `SELECT FROM pg_stat_activity
     WHERE datname = current_database() AND wait_event_type = 'Lock' AND query LIKE '%${table}%'`,
  );
  return waiting.length > 0;
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
      await expect(decide(counting, intent)).rejects.toMatchObject({ code: 'unauthenticated' });
    expect(await times()).toBe(0);
  });

  it('tells a key that is in use from a row that somebody else has locked, which is 503 (contract 1.8, 1.12)', async () => {
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

  it('is 503, never a key in use, when a request without a key waits for what somebody has locked (contract 1.8)', async () => {
    const keyless = () => decide(counting, intentOf(null));
    expect(await locking('UPDATE counted SET times = 7', keyless)).toMatchObject({ code: 'unavailable' });
    expect(await locking('LOCK TABLE counted', keyless)).toMatchObject({ code: 'unavailable' });
    expect(await times()).toBe(0);
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

describe('a write of one statement', () => {
  const answer = jsonAnswer(202, '/v1/counted', {});

  it.each([['k'], [null]])(
    'is repeated when Postgres proves that it was rolled back, under key %p (contract 1.4)',
    async (key) => {
      const strict = new URL(url);
      strict.searchParams.set('options', '-c default_transaction_isolation=serializable');
      const serializable = new Database({ url: strict.href, purpose: 'admission', poolSize: 1 });
      const failures: string[] = [];
      const write = async () => {
        await serializable.query(count).catch((error: pg.DatabaseError) => {
          failures.push(error.code ?? '');
          throw error;
        });
        return 'done' as const;
      };
      const other = await hold('UPDATE counted SET times = 7');
      const deciding = decide({ answer, write }, intentOf(key));
      await eventually(() => isWaitingFor('counted'));
      await other.query('COMMIT');
      expect(await deciding).toEqual({ answer, isReplayed: false });
      expect([failures, await times()]).toEqual([['40001'], 8]);
      await serializable.close();
    },
  );

  it('is not repeated when its connection was lost, which proves nothing (contract 1.4)', async () => {
    const lose = statement('lose-connection', 'SELECT pg_terminate_backend(pg_backend_pid())');
    let tries = 0;
    const write = async () => {
      tries += 1;
      await database.query(lose);
      return 'done' as const;
    };
    await expect(decide({ answer, write })).rejects.toMatchObject({ code: '57P01' });
    expect(tries).toBe(1);
  });
});

describe('a request that entered before another decided its key', () => {
  const refused = new RequestRefused('invalid_request', 'the body is not valid');
  const refuse = () => Promise.reject(refused);

  it('is a replay or a conflict, though its body is not valid now (contract 1.7)', async () => {
    const again = await intentOf();
    const other = await intentOf('k', 'other');
    const first = await decide();
    expect(await process().decide(again, refuse)).toEqual({ ...first, isReplayed: true });
    await expect(process().decide(other, refuse)).rejects.toMatchObject({ code: 'idempotency_key_reused' });
    await expect(process().decide(await intentOf('free'), refuse)).rejects.toBe(refused);
  });

  it('is no replay for an API key that was revoked while its body came (contract 1.10)', async () => {
    let clock = Date.now();
    const arriving = { recent: new RecentKeys(), now: () => clock };
    arriving.recent.add(arrive('k').keyName ?? '');
    await decide();
    const [fast, slow] = await Promise.all([intentOf('k', 'same', arriving), intentOf('k', 'same', arriving)]);
    expect(await decide(counting, fast)).toMatchObject({ isReplayed: true });
    await run('UPDATE api_keys SET revoked_at = now()');
    clock += 1_000;
    await expect(decide(counting, slow)).rejects.toMatchObject({ code: 'unauthenticated' });
  });
});

describe('what a request is charged', () => {
  const limit = { units: 2, windowSeconds: 60 };
  const budgetOf = () => new AccountBudget(caller.accountId, limit, limits, () => Date.now());
  const usedUnits = async () =>
    (await limits.read({ accountId: caller.accountId, windowSeconds: limit.windowSeconds }))?.usedUnits ?? 0;

  it('is nothing over budget, when its key became known since it looked: it is a replay (contract 1.13)', async () => {
    for (const key of ['a', 'b']) await decide(counting, intentOf(key, 'same', { budget: budgetOf() }));
    const other = await hold('SELECT FROM rate_limits FOR UPDATE');
    const entering = intentOf('k', 'same', { budget: budgetOf() });
    await eventually(() => isWaitingFor('rate_limits'));
    const first = await decide();
    await other.query('COMMIT');
    expect(await decide(counting, entering)).toEqual({ ...first, isReplayed: true });
    await expect(intentOf('new', 'same', { budget: budgetOf() })).rejects.toMatchObject({ code: 'rate_limited' });
  });

  it('is a unit when it was let in as a replay and turns out new, and 429 over budget (contract 1.13)', async () => {
    let clock = Date.now();
    const arriving = { recent: new RecentKeys(), now: () => clock };
    for (const key of ['a', 'b']) arriving.recent.add(arrive(key).keyName ?? '');
    for (const key of ['a', 'b']) await decide(counting, intentOf(key));
    const enter = (key: string) => intentOf(key, 'same', { ...arriving, budget: budgetOf() });
    const [a, b] = await Promise.all([enter('a'), enter('b')]);
    expect(await usedUnits()).toBe(0);
    await run('UPDATE idempotency_keys SET expires_at = now()');
    clock += 1_000;
    expect(await decide(counting, a)).toMatchObject({ isReplayed: false });
    expect(await usedUnits()).toBe(1);
    await decide(counting, intentOf('c', 'same', { budget: budgetOf() }));
    await expect(decide(counting, b)).rejects.toMatchObject({ code: 'rate_limited' });
    expect(await times()).toBe(4);
  });

  it('is spent when its client left before the charge came back, and nobody shares it (contract 1.13)', async () => {
    const arriving = { charges: new SharedCharges(), budget: budgetOf() };
    const left = arrive('k', arriving);
    const beginning = left.begin();
    left.close();
    await beginning;
    await arrive('k', arriving).begin();
    expect(await usedUnits()).toBe(2);
  });
});
