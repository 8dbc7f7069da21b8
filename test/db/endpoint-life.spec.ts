import { uuidv7 } from 'uuidv7';
import { pingEvent } from '#libs/domain';
import { Database, type Endpoint, EndpointHealthStore, EndpointStore, EventStore, migrate } from '#libs/persistence';
import { startTestPostgres, type TestPostgres } from '../support/postgres.js';

const coolDownMs = 60_000;

interface Health {
  readonly state: string;
  readonly first_failure_at: Date | null;
  readonly consecutive_failures: number;
  readonly probes: number;
  readonly probe_in_ms: number | null;
  readonly enabled_in_ms: number | null;
  readonly disabled_reason: string | null;
  readonly sequence: number;
}

let postgres: TestPostgres;
let database: Database;
let endpoints: EndpointStore;
let accountId: string;
let id: string;

beforeAll(async () => {
  postgres = await startTestPostgres();
  const url = await postgres.createDatabase();
  await migrate(url);
  database = new Database({ url, purpose: 'work', poolSize: 8 });
  endpoints = new EndpointStore(database);
}, 60_000);

afterAll(async () => {
  await database.close();
  await postgres.stop();
}, 60_000);

beforeEach(async () => {
  accountId = uuidv7();
  await run('INSERT INTO accounts (id, name) VALUES ($1::uuid, $1::text)', [accountId]);
  id = await newEndpoint();
});

function run<Row extends object>(text: string, values: unknown[] = []): Promise<Row[]> {
  return database.query<Row>({ name: '', text }, values);
}

async function newEndpoint(eventTypes: readonly string[] = ['*']): Promise<string> {
  const endpoint = {
    ...{ id: uuidv7(), accountId, url: 'https://example.com/hook', eventTypes, description: null },
    ...{ sealedHeaders: null, metadata: {}, retrySchedule: null, createdAt: new Date() },
  };
  await database.transaction((tx) => endpoints.insert(tx, endpoint, { id: uuidv7(), sealed: 'a.sealed' }));
  return endpoint.id;
}

async function health(): Promise<Health> {
  const [row] = await run<Health>(
    `SELECT state, first_failure_at, consecutive_failures, probes, disabled_reason, sequence::integer,
            (extract(epoch FROM probe_at - now()) * 1000)::float8 AS probe_in_ms,
            (extract(epoch FROM enabled_at - now()) * 1000)::float8 AS enabled_in_ms
     FROM webhook_endpoints WHERE id = $1`,
    [id],
  );
  if (row === undefined) throw new Error('there is no endpoint');
  return row;
}

async function locked<T>(
  work: (endpoint: Endpoint, tx: Parameters<EndpointStore['lock']>[0]) => Promise<T>,
): Promise<T> {
  return database.transaction(async (tx) => {
    const endpoint = await endpoints.lock(tx, accountId, id);
    if (endpoint === null) throw new Error('there is no endpoint');
    return work(endpoint, tx);
  });
}

const enable = () => locked((_, tx) => endpoints.enable(tx, id));
const disable = (reason: 'gone' | 'failing' | 'requested') =>
  database.transaction(async (tx) => {
    if (reason === 'requested') return endpoints.disable(tx, id);
    const health = new EndpointHealthStore();
    const [endpoint] = await health.lock(tx, [id]);
    if (endpoint === undefined) throw new Error('there is no endpoint');
    const disabled = { ...endpoint.health, state: 'disabled', probeAt: null, disabledReason: reason } as const;
    return health.write(tx, [{ endpoint, health: disabled, changes: 1 }]);
  });
const rotate = (overlapSeconds: number, sealed = 'a.newer') =>
  locked((_, tx) => endpoints.rotateSecret(tx, id, { id: uuidv7(), sealed }, overlapSeconds));

describe('enabling an endpoint', () => {
  it('that was disabled by request makes it healthy, with its failures forgotten (contract 4.7)', async () => {
    await run('UPDATE webhook_endpoints SET consecutive_failures = 3, first_failure_at = now() WHERE id = $1', [id]);
    await disable('requested');
    await enable();
    expect(await health()).toMatchObject({
      ...{ state: 'healthy', first_failure_at: null, consecutive_failures: 0 },
      ...{ probe_in_ms: null, disabled_reason: null, sequence: 2 },
    });
  });

  it.each(['gone', 'failing'] as const)('that was disabled as %s lets a probe decide, due now', async (reason) => {
    await disable(reason);
    await enable();
    const now = await health();
    expect(now).toMatchObject({
      state: 'failing',
      disabled_reason: null,
      consecutive_failures: 0,
      probes: 0,
      sequence: 2,
    });
    expect(now.first_failure_at).not.toBeNull();
    expect(now.probe_in_ms).toBeLessThanOrEqual(1);
  });

  it('that was failing when it was disabled by request lets a probe decide too', async () => {
    await run(
      `UPDATE webhook_endpoints SET state = 'failing', first_failure_at = now() - interval '1 day', probe_at = now() + interval '1 hour'
       WHERE id = $1`,
      [id],
    );
    await disable('requested');
    await enable();
    expect(await health()).toMatchObject({ state: 'failing' });
  });

  it('again and again while its receiver is dead costs it one probe a minute at most', async () => {
    await disable('gone');
    const probes: number[] = [];
    for (let round = 0; round < 5; round += 1) {
      await enable();
      await enable();
      probes.push((await health()).probe_in_ms ?? NaN);
      await disable('gone');
    }
    const gaps = probes.slice(1).map((probe, index) => probe - (probes[index] ?? NaN));
    for (const gap of gaps) expect(gap).toBeGreaterThan(coolDownMs - 5_000);
  });

  it('that is failing brings its probe forward, within the same bound', async () => {
    const failing = `UPDATE webhook_endpoints SET state = 'failing', first_failure_at = now(), probe_at = now() + interval '1 hour' WHERE id = $1`;
    await run(failing, [id]);
    await enable();
    expect((await health()).probe_in_ms).toBeLessThanOrEqual(1);
    await run(failing, [id]);
    await enable();
    const second = await health();
    expect(second.probe_in_ms).toBeGreaterThan(coolDownMs - 5_000);
    await enable();
    expect(await health()).toMatchObject({ state: 'failing', sequence: 0 });
    expect((await health()).probe_in_ms).toBeLessThanOrEqual(second.probe_in_ms ?? 0);
  });

  it('and disabling it at once, many times over, counts each change once', async () => {
    await Promise.all(Array.from({ length: 12 }, (_, index) => (index % 2 === 0 ? disable('requested') : enable())));
    const { state, sequence } = await health();
    expect(sequence % 2 === 0 ? 'healthy' : 'disabled').toBe(state);
  });
});

describe('rotating the secret of an endpoint', () => {
  it('at once from many sides gives each an order and leaves one that does not end', async () => {
    const live = await Promise.all(Array.from({ length: 4 }, (_, index) => rotate(3_600, `a.${index}`)));
    expect([...live].sort((a, b) => a - b)).toEqual([2, 3, 4, 5]);
    const secrets = (await endpoints.find(accountId, id))?.secrets ?? [];
    expect(secrets.map(({ expiresAt }) => expiresAt === null)).toEqual([true, false, false, false, false]);
    expect(new Set(secrets.map(({ createdAt }) => createdAt.getTime())).size).toBe(5);
  });

  it('puts the newest first even where the clock of the process that made the first ran ahead', async () => {
    await run(`UPDATE endpoint_secrets SET created_at = now() + interval '1 minute' WHERE endpoint_id = $1`, [id]);
    await rotate(60);
    expect((await endpoints.find(accountId, id))?.secrets[0]?.expiresAt).toBeNull();
  });

  it('removes what does not sign any more', async () => {
    await rotate(0);
    await rotate(0);
    const rows = await run('SELECT id FROM endpoint_secrets WHERE endpoint_id = $1', [id]);
    expect(rows).toHaveLength(2);
    expect((await endpoints.find(accountId, id))?.secrets).toHaveLength(1);
  });
});

describe('an event for one endpoint', () => {
  const events = () => new EventStore({ topic: 'pdfonce.events.v1', state: 'pending' });
  const deliveriesOf = (eventId: string) =>
    run<{ endpoint_id: string; state: string }>('SELECT endpoint_id, state FROM deliveries WHERE event_id = $1', [
      eventId,
    ]);

  it('makes one delivery, whatever the endpoints of the account select, and one outbox row', async () => {
    id = await newEndpoint(['job.failed']);
    const event = pingEvent(uuidv7(), id, new Date());
    const records = await database.transaction((tx) => events().recordForEndpoint(tx, accountId, event, id));
    expect(records).toHaveLength(1);
    expect(await deliveriesOf(event.id)).toEqual([{ endpoint_id: id, state: 'pending' }]);
  });

  it('makes none for the endpoint of another account', async () => {
    const other = id;
    accountId = uuidv7();
    await run('INSERT INTO accounts (id, name) VALUES ($1::uuid, $1::text)', [accountId]);
    const event = pingEvent(uuidv7(), other, new Date());
    await database.transaction((tx) => events().recordForEndpoint(tx, accountId, event, other));
    expect(await deliveriesOf(event.id)).toEqual([]);
  });
});
