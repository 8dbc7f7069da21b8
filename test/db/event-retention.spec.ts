import { randomBytes } from 'node:crypto';
import { SecretKeyring } from '#libs/domain';
import { Database, DeliveryQueue, migrate, PruneStore, RecoveryStore, type Tx } from '#libs/persistence';
import { uuidv7 } from 'uuidv7';
import { deleteEvents, lockOldEvents } from '../../libs/persistence/src/prune/prune-events.sql.js';
import { WebhookRecords } from '../dispatcher/webhook-records.js';
import { startTestPostgres, type TestPostgres } from '../support/postgres.js';

const url = 'https://example.com/hook';
const dayMs = 86_400_000;
const monthMs = 30 * dayMs;

let postgres: TestPostgres;
let database: Database;
let records: WebhookRecords;
let prune: PruneStore;

beforeAll(async () => {
  postgres = await startTestPostgres();
  const databaseUrl = await postgres.createDatabase();
  await migrate(databaseUrl);
  database = new Database({ url: databaseUrl, purpose: 'work', poolSize: 6 });
  records = new WebhookRecords(
    database,
    SecretKeyring.parse(`k1:${Buffer.alloc(32, 1).toString('base64')}`, randomBytes),
  );
  prune = new PruneStore(database);
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

async function count(table: string): Promise<number> {
  const [row] = await records.run<{ count: number }>(`SELECT count(*) AS count FROM ${table}`);
  return row?.count ?? 0;
}

async function makeOld(): Promise<void> {
  await records.run(`UPDATE events SET created_at = now() - interval '31 days'`);
}

async function endAll(state: string): Promise<void> {
  await records.run(
    `UPDATE deliveries SET state = $1, next_attempt_at = NULL, lease_until = NULL, finished_at = now()`,
    [state],
  );
}

describe('the purge of events', () => {
  it('takes their bodies, deliveries and attempts in batches, and never one that is still to be sent', async () => {
    const endpoint = await records.endpoint(url);
    for (let n = 0; n < 5; n += 1) await records.event(endpoint.accountId);
    await new DeliveryQueue(database).claim({ limit: 3, leaseMs: 30_000, endpointCap: 10 });
    await makeOld();
    expect(await prune.events(2, monthMs)).toBe(0);
    await records.run(`UPDATE deliveries SET state = 'exhausted', lease_until = NULL WHERE state = 'delivering'`);
    expect(await count('delivery_attempts')).toBe(3);
    expect([await prune.events(2, monthMs), await prune.events(2, monthMs), await prune.events(2, monthMs)]).toEqual([
      2, 1, 0,
    ]);
    expect([await count('events'), await count('deliveries'), await count('delivery_attempts')]).toEqual([2, 2, 0]);
  });

  it('keeps what is younger than EVENT_TTL', async () => {
    const endpoint = await records.endpoint(url);
    await records.event(endpoint.accountId);
    await endAll('delivered');
    expect(await prune.events(100, monthMs)).toBe(0);
  });

  it('holds up no delivery: others are claimed while it is under way', async () => {
    const endpoint = await records.endpoint(url);
    for (let n = 0; n < 20; n += 1) await records.event(endpoint.accountId);
    await endAll('delivered');
    await makeOld();
    const fresh = await records.event(endpoint.accountId);
    await database.transaction(async (tx: Tx) => {
      const locked = await tx.query<{ id: string }>(lockOldEvents, [500, monthMs]);
      expect(await tx.query(deleteEvents, [locked.map(({ id }) => id)])).toHaveLength(20);
      const { deliveries: claimed } = await new DeliveryQueue(database).claim({
        limit: 10,
        leaseMs: 30_000,
        endpointCap: 10,
      });
      expect(claimed.map(({ eventId }) => eventId)).toEqual([fresh.id]);
    });
    expect(await count('events')).toBe(1);
  });

  it('and a recovery never lose a delivery between them: who comes second waits or finds nothing', async () => {
    const endpoint = await records.endpoint(url);
    await records.event(endpoint.accountId);
    await endAll('skipped');
    await makeOld();
    const recoveries = new RecoveryStore(database);
    await database.transaction((tx) =>
      recoveries.insert(tx, {
        ...{ id: uuidv7(), accountId: endpoint.accountId, endpointId: endpoint.id },
        ...{ since: new Date(0), until: null, states: ['skipped'], createdAt: new Date() },
      }),
    );
    await records.run(`UPDATE recoveries SET transaction_id = '3'`);
    const step = await database.transaction(async (tx) => {
      const made = await recoveries.step(tx, { events: 500, mostDue: 1_000 });
      expect(await prune.events(100, monthMs)).toBe(0);
      return made;
    });
    expect(step).toMatchObject({ rearmed: 1 });
    expect(await prune.events(100, monthMs)).toBe(0);
    expect(await records.delivery(endpoint.id)).toMatchObject({ state: 'pending' });
  });
});

describe('the purge of recoveries', () => {
  it('takes those that ended long ago, and never one that is running', async () => {
    const endpoint = await records.endpoint(url);
    const insert = (state: string, days: number) =>
      records.run(
        `INSERT INTO recoveries (id, account_id, endpoint_id, since, states, state, cursor_at, created_at, finished_at)
         VALUES (new_uuid_v7(), $1, $2, now(), '{skipped}', $3, now(), now() - $4::int * interval '1 day',
                 CASE $3 WHEN 'running' THEN NULL ELSE now() - $4::int * interval '1 day' END)`,
        [endpoint.accountId, endpoint.id, state, days],
      );
    for (const [state, days] of [
      ['completed', 31],
      ['cancelled', 31],
      ['completed', 29],
      ['running', 31],
    ] as const) {
      await insert(state, days);
    }
    expect([await prune.recoveries(1, monthMs), await prune.recoveries(10, monthMs)]).toEqual([1, 1]);
    expect(await count('recoveries')).toBe(2);
  });
});
