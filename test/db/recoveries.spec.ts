import { randomBytes } from 'node:crypto';
import { SecretKeyring } from '#libs/domain';
import { uuidv7 } from 'uuidv7';
import {
  Database,
  DeliveryQueue,
  type DeliverySettlement,
  migrate,
  type NewRecovery,
  type Recovery,
  type RecoveryStep,
  RecoveryStore,
  RedeliveryStore,
} from '#libs/persistence';
import { WebhookRecords } from '../dispatcher/webhook-records.js';
import { eventually } from '../support/eventually.js';
import { startTestPostgres, type TestPostgres } from '../support/postgres.js';

const keyring = SecretKeyring.parse(`k1:${Buffer.alloc(32, 1).toString('base64')}`, randomBytes);
const url = 'https://example.com/hook';
const claimAll = { limit: 2_000, leaseMs: 30_000, endpointCap: 20 };
const limits = { events: 500, mostDue: 1_000 };
const beginning = new Date('2026-01-01T00:00:00.000Z');

let postgres: TestPostgres;
let databaseUrl: string;
let database: Database;
let records: WebhookRecords;
let recoveries: RecoveryStore;
let queue: DeliveryQueue;

beforeAll(async () => {
  postgres = await startTestPostgres();
  databaseUrl = await postgres.createDatabase();
  await migrate(databaseUrl);
  database = new Database({ url: databaseUrl, purpose: 'work', poolSize: 12 });
  records = new WebhookRecords(database, keyring);
  recoveries = new RecoveryStore(database);
  queue = new DeliveryQueue(database);
}, 60_000);

afterAll(async () => {
  await database.close();
  await postgres.stop();
}, 60_000);

beforeEach(() =>
  records.run(
    'TRUNCATE recoveries, deliveries, delivery_attempts, webhook_endpoints, endpoint_secrets, events CASCADE',
  ),
);

interface Of {
  readonly id: string;
  readonly accountId: string;
}

async function ask(endpoint: Of, changes: Partial<NewRecovery> = {}): Promise<string> {
  const recovery: NewRecovery = {
    id: uuidv7(),
    accountId: endpoint.accountId,
    endpointId: endpoint.id,
    since: beginning,
    until: null,
    states: ['exhausted', 'skipped', 'missing'],
    createdAt: new Date(),
    ...changes,
  };
  await database.transaction((tx) => recoveries.insert(tx, recovery));
  return recovery.id;
}

/** Waits until nothing is being written any more, in any database of the server, that was so when the recoveries were asked for. */
async function othersEnded(): Promise<void> {
  const hasEnded = async (): Promise<boolean> => {
    const [row] = await records.run<{ open: number }>(
      'SELECT count(*) AS open FROM recoveries WHERE transaction_id >= pg_snapshot_xmin(pg_current_snapshot())',
    );
    return row?.open === 0;
  };
  await eventually(hasEnded, { withinMs: 30_000, describe: 'the end of what was being written' });
}

async function find(endpoint: Of, recoveryId: string): Promise<Recovery> {
  const found = await recoveries.find(endpoint.accountId, endpoint.id, recoveryId);
  if (found === null) throw new Error(`no recovery ${recoveryId}`);
  return found;
}

/** Steps until there is nothing to do now. */
async function stepAll(): Promise<RecoveryStep[]> {
  await othersEnded();
  const steps: RecoveryStep[] = [];
  for (let made = await step(); made !== null; made = await step()) steps.push(made);
  return steps;
}

async function step(): Promise<RecoveryStep | null> {
  return database.transaction((tx) => recoveries.step(tx, limits));
}

async function recover(endpoint: Of, changes: Partial<NewRecovery> = {}): Promise<Recovery> {
  const id = await ask(endpoint, changes);
  await stepAll();
  return find(endpoint, id);
}

/** Gives every delivery of an endpoint a state in which nothing is open. */
async function endAll(endpoint: Of, state: string): Promise<void> {
  await records.run(
    `UPDATE deliveries SET state = $2, next_attempt_at = NULL, lease_until = NULL, finished_at = now() WHERE endpoint_id = $1`,
    [endpoint.id, state],
  );
}

/** Events a second apart from `from` on, written at once, with a delivery in `state` to the endpoint, or none. */
async function manyEvents(endpoint: Of, events: number, state: string | null): Promise<void> {
  await records.run(
    `WITH event AS (
       INSERT INTO events (id, account_id, type, job_id, body, occurred_at)
       SELECT new_uuid_v7(), $1, 'job.completed', gen_random_uuid(), '{}', $4::timestamptz + n * interval '1 second'
       FROM generate_series(1, $3::int) AS n
       RETURNING id
     )
     INSERT INTO deliveries (id, account_id, event_id, endpoint_id, state, finished_at)
     SELECT new_uuid_v7(), $1, id, $2, $5, now() FROM event WHERE $5::text IS NOT NULL`,
    [endpoint.accountId, endpoint.id, events, beginning, state],
  );
}

function failed(claimed: { id: string; claim: number }, state: 'exhausted' | 'delivered'): DeliverySettlement {
  return {
    deliveryId: claimed.id,
    claim: claimed.claim,
    outcome: state === 'delivered' ? 'delivered' : 'server_error',
    durationMs: 1,
    statusCode: state === 'delivered' ? 200 : 500,
    responseBody: null,
    next: { state },
  };
}

async function claimAndSettle(state: 'exhausted' | 'delivered'): Promise<number> {
  const { deliveries } = await queue.claim(claimAll);
  await queue.settle(
    database,
    deliveries.map((each) => failed(each, state)),
  );
  return deliveries.length;
}

describe('a recovery', () => {
  it('makes exhausted and skipped deliveries due again and leaves those that were made or are open (contract 4.8)', async () => {
    const endpoint = await records.endpoint(url);
    const states = ['exhausted', 'skipped', 'delivered', 'pending'];
    for (const state of states) {
      const { id } = await records.event(endpoint.accountId);
      if (state === 'pending') continue;
      await records.run(
        `UPDATE deliveries SET state = $2, next_attempt_at = NULL, finished_at = now() WHERE event_id = $1`,
        [id, state],
      );
    }
    expect(await recover(endpoint)).toMatchObject({ state: 'completed', events: 4, rearmed: 2, inserted: 0 });
    const stored = await records.run<{ state: string; is_recovered: boolean }>(
      'SELECT state, is_recovered FROM deliveries ORDER BY id',
    );
    expect(stored).toEqual([
      { state: 'pending', is_recovered: true },
      { state: 'pending', is_recovered: true },
      { state: 'delivered', is_recovered: false },
      { state: 'pending', is_recovered: false },
    ]);
  });

  it('inserts deliveries of events from before the endpoint was there, and only of those that its patterns select (contract 4.8)', async () => {
    const accountId = await records.account();
    const before = await records.event(accountId);
    await records.event(accountId, 'batch.completed');
    await records.event(accountId, 'webhook.ping');
    await records.event(await records.account());
    const endpoint = await records.endpoint(url, { accountId });
    expect(await recover(endpoint)).toMatchObject({ events: 3, rearmed: 0, inserted: 1 });
    const stored = await records.delivery(endpoint.id);
    expect(stored).toMatchObject({ event_id: before.id, state: 'pending', attempt: 0 });
  });

  it('takes only what happened in its time and only the states it was asked for (contract 4.8)', async () => {
    const accountId = await records.account();
    const endpoint = await records.endpoint(url, { accountId });
    await manyEvents(endpoint, 5, 'skipped');
    await manyEvents(endpoint, 5, null);
    const at = (seconds: number) => new Date(beginning.getTime() + seconds * 1_000);
    const skipped = await recover(endpoint, { since: at(2), until: at(4), states: ['skipped'] });
    expect(skipped).toMatchObject({ state: 'completed', events: 4, rearmed: 2, inserted: 0 });
    const missing = await recover(endpoint, { since: at(4), states: ['missing', 'exhausted'] });
    expect(missing).toMatchObject({ state: 'completed', events: 4, rearmed: 0, inserted: 2 });
  });

  it('gives a delivery its whole schedule anew, with attempts whose numbers go on (contract 4.8)', async () => {
    const endpoint = await records.endpoint(url);
    await records.event(endpoint.accountId);
    expect(await claimAndSettle('exhausted')).toBe(1);
    await recover(endpoint);
    const [again] = (await queue.claim(claimAll)).deliveries;
    expect(again).toMatchObject({ attempt: 2, claim: 3 });
    expect(await records.run('SELECT attempt - uncounted AS counted FROM deliveries')).toEqual([{ counted: 1 }]);
    if (again === undefined) return;
    expect(await queue.settle(database, [failed(again, 'delivered')])).toMatchObject([{ settled: 'settled' }]);
    const { attempts, state } = await records.delivery(endpoint.id);
    expect(state).toBe('delivered');
    expect(attempts.map(({ number, outcome }) => [number, outcome])).toEqual([
      [1, 'server_error'],
      [2, 'delivered'],
    ]);
  });

  it('sends nothing again that a redelivery has delivered, or that one is about to (contract 4.8)', async () => {
    const endpoint = await records.endpoint(url);
    const [delivered, open] = [await records.event(endpoint.accountId), await records.event(endpoint.accountId)];
    await endAll(endpoint, 'exhausted');
    const redelivery = await records.redelivery(delivered.id, endpoint.id);
    await records.run(`UPDATE deliveries SET state = 'delivered', next_attempt_at = NULL WHERE id = $1`, [redelivery]);
    await records.redelivery(open.id, endpoint.id);
    expect(await recover(endpoint)).toMatchObject({ events: 2, rearmed: 0, inserted: 0 });
  });

  it('recovers 10,001 events, each once, by many dispatchers, however few may be due, and a second one sends nothing again (contract 4.8)', async () => {
    const endpoint = await records.endpoint(url);
    await manyEvents(endpoint, 5_001, 'exhausted');
    await manyEvents(endpoint, 5_000, null);
    await manyEvents(endpoint, 100, 'delivered');
    const id = await ask(endpoint);
    const again = await ask(endpoint);
    await othersEnded();
    let most = 0;
    for (let round = 0; round < 60 && (await find(endpoint, id)).state === 'running'; round += 1) {
      await Promise.all(Array.from({ length: 4 }, step));
      const [due] = await records.run<{ due: number }>(
        `SELECT count(*) AS due FROM deliveries WHERE state = 'pending'`,
      );
      most = Math.max(most, due?.due ?? 0);
      await records.run(
        `UPDATE deliveries SET state = 'delivered', next_attempt_at = NULL, finished_at = now(), attempt = attempt + 1 WHERE state = 'pending'`,
      );
      await records.run('UPDATE recoveries SET next_step_at = now()');
    }
    await stepAll();
    const [first, second] = [await find(endpoint, id), await find(endpoint, again)];
    expect([first.state, second.state]).toEqual(['completed', 'completed']);
    expect([first.events, second.events]).toEqual([10_101, 10_101]);
    expect([first.rearmed + second.rearmed, first.inserted + second.inserted]).toEqual([5_001, 5_000]);
    expect(most).toBeLessThanOrEqual(limits.mostDue + 4 * limits.events);
    expect(await recover(endpoint)).toMatchObject({ events: 10_101, rearmed: 0, inserted: 0 });
    const [sent] = await records.run<{ deliveries: number; most: number }>(
      'SELECT count(*) AS deliveries, max(attempt - uncounted) AS most FROM deliveries WHERE is_recovered',
    );
    expect(sent).toEqual({ deliveries: 10_001, most: 1 });
  }, 120_000);

  it('goes on where it was when the process that made a step died in it (contract 4.8)', async () => {
    const endpoint = await records.endpoint(url);
    await manyEvents(endpoint, 1_200, 'skipped');
    const id = await ask(endpoint);
    await othersEnded();
    await step();
    await records.run(
      `CREATE FUNCTION hang() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN PERFORM pg_sleep(30); RETURN NEW; END $$`,
    );
    await records.run('CREATE TRIGGER hang BEFORE UPDATE ON deliveries FOR EACH ROW EXECUTE FUNCTION hang()');
    const lost = new Database({ url: databaseUrl, purpose: 'work', poolSize: 1 });
    const died = lost
      .transaction((tx) => recoveries.step(tx, limits))
      .then(
        () => 'made',
        () => 'lost',
      );
    await killStep();
    expect(await died).toBe('lost');
    await lost.close();
    await records.run('DROP FUNCTION hang CASCADE');
    expect(await find(endpoint, id)).toMatchObject({ state: 'running', events: 500, rearmed: 500 });
    await stepAll();
    expect(await find(endpoint, id)).toMatchObject({ state: 'running', events: 1_000, rearmed: 1_000 });
    await records.run(`UPDATE deliveries SET state = 'delivered', next_attempt_at = NULL WHERE state = 'pending'`);
    await records.run('UPDATE recoveries SET next_step_at = now()');
    await stepAll();
    expect(await find(endpoint, id)).toMatchObject({ state: 'completed', events: 1_200, rearmed: 1_200 });
  }, 60_000);

  it('waits while a thousand recovered deliveries are due, and not for those that wait for a later attempt (contract 4.8)', async () => {
    const endpoint = await records.endpoint(url);
    await manyEvents(endpoint, 2_000, 'exhausted');
    const id = await ask(endpoint);
    const waiting = (await stepAll()).at(-1);
    expect(waiting).toMatchObject({ isWaiting: true, events: 0, state: 'running' });
    expect(await find(endpoint, id)).toMatchObject({ events: 1_000, rearmed: 1_000 });
    await records.run(`UPDATE deliveries SET next_attempt_at = now() + interval '1 hour' WHERE state = 'pending'`);
    await records.run('UPDATE recoveries SET next_step_at = now()');
    await stepAll();
    expect((await find(endpoint, id)).events).toBe(2_000);
  });

  it('does not begin while something is being written that was so when it was asked for (contract 4.8)', async () => {
    const endpoint = await records.endpoint(url);
    let finish = (): void => undefined;
    const held = new Promise<void>((resolve) => (finish = resolve));
    let isWriting = (): void => undefined;
    const writing = new Promise<void>((resolve) => (isWriting = resolve));
    const writer = database.transaction(async (tx) => {
      await tx.query({ name: '', text: `INSERT INTO installation (name, value) VALUES ('held', '')` });
      isWriting();
      await held;
    });
    await writing;
    await ask(endpoint);
    expect(await step()).toBeNull();
    finish();
    await writer;
    expect(await stepAll()).toHaveLength(1);
  });

  it('ends when it is cancelled, and when its endpoint is disabled or deleted (contract 4.8)', async () => {
    const [asked, disabled, deleted] = [
      await records.endpoint(url),
      await records.endpoint(url),
      await records.endpoint(url),
    ];
    for (const endpoint of [asked, disabled, deleted]) await manyEvents(endpoint, 600, 'skipped');
    const cancelled = await ask(asked);
    const cancel = () => database.transaction((tx) => recoveries.cancel(tx, asked.accountId, asked.id, cancelled));
    expect([await cancel(), await cancel()]).toEqual([true, false]);
    await records.run(
      `UPDATE webhook_endpoints SET state = 'disabled', disabled_at = now(), disabled_reason = 'requested' WHERE id = $1`,
      [disabled.id],
    );
    await records.run('UPDATE webhook_endpoints SET deleted_at = now() WHERE id = $1', [deleted.id]);
    for (const endpoint of [disabled, deleted]) {
      expect(await recover(endpoint)).toMatchObject({ state: 'cancelled', events: 0, rearmed: 0 });
    }
    expect(await find(asked, cancelled)).toMatchObject({ state: 'cancelled', rearmed: 0 });
    expect((await find(asked, cancelled)).finishedAt).not.toBeNull();
  });

  it('is found by its own account and endpoint only, newest first', async () => {
    const endpoint = await records.endpoint(url);
    const other = await records.endpoint(url, { accountId: endpoint.accountId });
    const [first, second] = [await ask(endpoint), await ask(endpoint)];
    const listed = await recoveries.list(endpoint.accountId, endpoint.id, { limit: 10 });
    expect(listed.map(({ id }) => id)).toEqual([second, first]);
    expect(await recoveries.list(endpoint.accountId, endpoint.id, { before: second, limit: 10 })).toHaveLength(1);
    expect(await recoveries.list(await records.account(), endpoint.id, { limit: 10 })).toEqual([]);
    expect(await recoveries.find(endpoint.accountId, other.id, first)).toBeNull();
  });
});

describe('a redelivery', () => {
  const redeliver = (accountId: string, deliveryId: string) =>
    database.transaction((tx) => new RedeliveryStore().redeliver(tx, accountId, deliveryId));

  it('of a recovered delivery holds up none of the recovered ones, and goes after the one that it repeats (contract 4.8)', async () => {
    const endpoint = await records.endpoint(url);
    for (let n = 0; n < 3; n += 1) await records.event(endpoint.accountId);
    await endAll(endpoint, 'skipped');
    await recover(endpoint);
    const [first] = await records.deliveries(endpoint.id);
    await redeliver(endpoint.accountId, first?.id ?? '');
    const claimed = (await queue.claim(claimAll)).deliveries;
    expect(claimed.map(({ isRedelivery }) => isRedelivery)).toEqual([false, false, false]);
    await queue.settle(
      database,
      claimed.map((each) => failed(each, 'delivered')),
    );
    expect((await queue.claim(claimAll)).deliveries).toMatchObject([{ isRedelivery: true, eventId: first?.event_id }]);
  });

  it.each(['delivered', 'exhausted', 'skipped', 'pending'])(
    'of a delivery that is %s is another delivery of the same event, due now (contract 4.8)',
    async (state) => {
      const endpoint = await records.endpoint(url);
      const event = await records.event(endpoint.accountId);
      if (state !== 'pending') await endAll(endpoint, state);
      const [first] = await records.deliveries(endpoint.id);
      const made = await redeliver(endpoint.accountId, first?.id ?? '');
      const [, second] = await records.deliveries(endpoint.id);
      expect(made).toEqual({ kind: 'redelivered', deliveryId: second?.id });
      expect(second).toMatchObject({ event_id: event.id, state: 'pending', attempt: 0 });
      const [{ redelivery_of } = { redelivery_of: null }] = await records.run<{ redelivery_of: string | null }>(
        'SELECT redelivery_of FROM deliveries WHERE id = $1',
        [second?.id],
      );
      expect(redelivery_of).toBe(first?.id);
    },
  );

  it('is not made for an endpoint that is deleted or disabled, nor of the delivery of another account', async () => {
    const endpoint = await records.endpoint(url);
    await records.event(endpoint.accountId);
    const { id } = await records.delivery(endpoint.id);
    expect(await redeliver(await records.account(), id)).toEqual({ kind: 'unknown' });
    await records.run(
      `UPDATE webhook_endpoints SET state = 'disabled', disabled_at = now(), disabled_reason = 'requested' WHERE id = $1`,
      [endpoint.id],
    );
    expect(await redeliver(endpoint.accountId, id)).toMatchObject({ kind: 'endpoint_disabled' });
    await records.run('UPDATE webhook_endpoints SET deleted_at = now() WHERE id = $1', [endpoint.id]);
    expect(await redeliver(endpoint.accountId, id)).toMatchObject({ kind: 'endpoint_deleted' });
    expect(await records.deliveries(endpoint.id)).toHaveLength(1);
  });
});

/** Kills the session that makes a step, once there is one. */
async function killStep(): Promise<void> {
  for (;;) {
    const killed = await records.run(
      `SELECT pg_terminate_backend(pid) FROM pg_stat_activity
       WHERE datname = current_database() AND wait_event = 'PgSleep' AND pid <> pg_backend_pid()`,
    );
    if (killed.length > 0) return;
  }
}
