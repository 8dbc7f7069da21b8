import { randomBytes } from 'node:crypto';
import { SecretKeyring } from '#libs/domain';
import { Database, EventReader, migrate, statement } from '#libs/persistence';
import { listUndeliveredEvents } from '../../libs/persistence/src/events/event-reader.sql.js';
import { stepRecovery } from '../../libs/persistence/src/recoveries/recovery.sql.js';
import { WebhookRecords } from '../dispatcher/webhook-records.js';
import { startTestPostgres, type TestPostgres } from '../support/postgres.js';

const url = 'https://example.com/hook';
const looksAt = 10_000;

let postgres: TestPostgres;
let database: Database;
let records: WebhookRecords;
let events: EventReader;

beforeAll(async () => {
  postgres = await startTestPostgres();
  const databaseUrl = await postgres.createDatabase();
  await migrate(databaseUrl);
  database = new Database({ url: databaseUrl, purpose: 'work', poolSize: 2 });
  records = new WebhookRecords(
    database,
    SecretKeyring.parse(`k1:${Buffer.alloc(32, 1).toString('base64')}`, randomBytes),
  );
  events = new EventReader(database);
}, 60_000);

afterAll(async () => {
  await database.close();
  await postgres.stop();
}, 60_000);

interface Of {
  readonly id: string;
  readonly accountId: string;
}

async function setState(eventId: string, endpointId: string, state: string): Promise<void> {
  await records.run(
    `UPDATE deliveries SET state = $3, next_attempt_at = NULL, finished_at = now() WHERE event_id = $1 AND endpoint_id = $2`,
    [eventId, endpointId, state],
  );
}

async function undelivered(accountId: string, endpointId?: string): Promise<string[]> {
  const page = await events.listUndelivered(accountId, { endpointId, limit: 100, looksAt });
  expect(page.moreBefore).toBeNull();
  return page.events.map(({ id }) => id);
}

/** Many events, of which all but every `apart`-th were delivered. */
async function manyEvents({ id, accountId }: Of, count: number, apart: number): Promise<void> {
  await records.run(
    `WITH event AS (
       INSERT INTO events (id, account_id, type, job_id, body, occurred_at)
       SELECT new_uuid_v7(), $1, 'job.completed', gen_random_uuid(), '{}', timestamptz 'epoch' + n * interval '1 second'
       FROM generate_series(1, $3::int) AS n
       RETURNING id, extract(epoch FROM occurred_at)::int AS n
     )
     INSERT INTO deliveries (id, account_id, event_id, endpoint_id, state, finished_at)
     SELECT new_uuid_v7(), $1, id, $2, CASE WHEN n % $4::int = 0 THEN 'exhausted' ELSE 'delivered' END, now() FROM event`,
    [accountId, id, count, apart],
  );
}

/** The plan of a statement as it runs, made without knowledge of its values. */
async function planOf(text: string, literals: string): Promise<string> {
  return database.transaction(async (tx) => {
    const sql = <Row extends object>(command: string) => tx.query<Row>(statement('', command));
    await sql('SET LOCAL plan_cache_mode = force_generic_plan');
    await sql(`PREPARE reading AS ${text}`);
    const rows = await sql<{ 'QUERY PLAN': string }>(`EXPLAIN (ANALYZE, BUFFERS) EXECUTE reading (${literals})`);
    await sql('DEALLOCATE reading');
    return rows.map((row) => row['QUERY PLAN']).join('\n');
  });
}

describe('undelivered events', () => {
  it('are those of which no delivery was made: none there, waiting, skipped, exhausted (contract 4.8)', async () => {
    const accountId = await records.account();
    const before = await records.event(accountId);
    const endpoint = await records.endpoint(url, { accountId });
    const [exhausted, skipped, waiting, delivered] = [
      await records.event(accountId),
      await records.event(accountId),
      await records.event(accountId),
      await records.event(accountId),
    ];
    await setState(exhausted.id, endpoint.id, 'exhausted');
    await setState(skipped.id, endpoint.id, 'skipped');
    await setState(delivered.id, endpoint.id, 'delivered');
    await records.event(await records.account());
    expect(await undelivered(accountId)).toEqual([waiting.id, skipped.id, exhausted.id, before.id]);
    const redelivery = await records.redelivery(exhausted.id, endpoint.id);
    await records.run(`UPDATE deliveries SET state = 'delivered', next_attempt_at = NULL WHERE id = $1`, [redelivery]);
    expect(await undelivered(accountId)).toEqual([waiting.id, skipped.id, before.id]);
  });

  it('of an endpoint are those that it selects and that others may have got (contract 4.8)', async () => {
    const accountId = await records.account();
    const [one, other] = [
      await records.endpoint(url, { accountId, eventTypes: ['*'] }),
      await records.endpoint(url, { accountId, eventTypes: ['batch.*'] }),
    ];
    const [job, batch] = [await records.event(accountId), await records.event(accountId, 'batch.completed')];
    await records.event(accountId, 'webhook.ping');
    await setState(job.id, one.id, 'delivered');
    await setState(batch.id, one.id, 'delivered');
    expect(await undelivered(accountId, one.id)).toEqual([]);
    expect(await undelivered(accountId, other.id)).toEqual([batch.id]);
    expect(await undelivered(await records.account(), other.id)).toEqual([]);
  });

  it('are found page by page, each looking at a bounded number of events (contract 4.8)', async () => {
    const endpoint = await records.endpoint(url);
    await manyEvents(endpoint, 1_000, 250);
    const found: string[] = [];
    const pages: number[] = [];
    for (let before: string | undefined; ;) {
      const page = await events.listUndelivered(endpoint.accountId, { before, limit: 3, looksAt: 100 });
      found.push(...page.events.map(({ id }) => id));
      pages.push(page.events.length);
      if (page.moreBefore === null) break;
      before = page.moreBefore;
    }
    expect(new Set(found).size).toBe(4);
    expect(found).toHaveLength(4);
    expect(pages.length).toBeLessThanOrEqual(12);
  });

  it('and the steps of a recovery read by index, however many events an account has (contract 4.8)', async () => {
    const endpoint = await records.endpoint(url);
    await manyEvents(endpoint, 100_000, 1_000);
    await records.run('ANALYZE events, deliveries, webhook_endpoints');
    const list = await planOf(listUndeliveredEvents.text, `'${endpoint.accountId}', NULL, 20, ${looksAt}, NULL`);
    expect(list).not.toMatch(/Seq Scan on (events|deliveries)/);
    expect(list).toContain('events_by_account');
    await records.run(
      `INSERT INTO recoveries (id, account_id, endpoint_id, since, states, cursor_at, transaction_id, created_at)
       VALUES (new_uuid_v7(), $1, $2, 'epoch', '{exhausted,skipped,missing}', 'epoch', '3', now())`,
      [endpoint.accountId, endpoint.id],
    );
    const step = await planOf(stepRecovery.text, '500, 1000');
    expect(step).not.toMatch(/Seq Scan on (events|deliveries)/);
    expect(step).toContain('events_by_time');
  }, 120_000);
});
