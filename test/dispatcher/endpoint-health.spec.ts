import { randomBytes } from 'node:crypto';
import { SecretKeyring, typeId } from '#libs/domain';
import { Database, migrate } from '#libs/persistence';
import { eventually } from '../support/eventually.js';
import { startTestPostgres, type TestPostgres } from '../support/postgres.js';
import { WebhookReceiver } from '../support/webhook-receiver.js';
import { type DispatcherStart, type RunningDispatcher, startDispatcher } from './running-dispatcher.js';
import { type DeliveryRecord, type TestEndpoint, WebhookRecords } from './webhook-records.js';

const keyring = SecretKeyring.parse(`k1:${Buffer.alloc(32, 1).toString('base64')}`, randomBytes);
const soon = { firstProbeMs: 100, longestProbeMs: 200 };

let postgres: TestPostgres;
let databaseUrl: string;
let database: Database;
let records: WebhookRecords;
let receiver: WebhookReceiver;
const running: RunningDispatcher[] = [];

beforeAll(async () => {
  postgres = await startTestPostgres();
  databaseUrl = await postgres.createDatabase();
  await migrate(databaseUrl);
  database = new Database({ url: databaseUrl, purpose: 'work', poolSize: 8, onConnectionLost: () => undefined });
  records = new WebhookRecords(database, keyring);
}, 60_000);

afterAll(async () => {
  await database.close();
  await postgres.stop();
}, 60_000);

beforeEach(async () => {
  await records.run('TRUNCATE deliveries, delivery_attempts, webhook_endpoints, endpoint_secrets, events CASCADE');
  receiver = await WebhookReceiver.open();
});

afterEach(async () => {
  await Promise.all(running.splice(0).map((dispatcher) => dispatcher.stop()));
  await receiver.close();
}, 20_000);

async function start(options: Partial<DispatcherStart> = {}): Promise<RunningDispatcher> {
  const dispatcher = await startDispatcher({ databaseUrl, keyring, ...options });
  running.push(dispatcher);
  return dispatcher;
}

async function stateOf({ id }: TestEndpoint): Promise<string> {
  const [row] = await records.run<{ state: string }>('SELECT state FROM webhook_endpoints WHERE id = $1', [id]);
  return row?.state ?? '';
}

function becomes(endpoint: TestEndpoint, state: string): Promise<unknown> {
  return eventually(async () => (await stateOf(endpoint)) === state, { withinMs: 15_000, describe: state });
}

function ends(endpoint: TestEndpoint, state: string, withinMs = 15_000): Promise<readonly DeliveryRecord[]> {
  return eventually(
    async () => {
      const deliveries = await records.deliveries(endpoint.id);
      return deliveries.every((delivery) => delivery.state === state) ? deliveries : undefined;
    },
    { withinMs, describe: `all are ${state}` },
  ) as Promise<readonly DeliveryRecord[]>;
}

/** Of the path. */
function requests(path: string): number {
  return receiver.received((request) => request.path === path).length;
}

async function events(endpoint: TestEndpoint, count: number): Promise<void> {
  for (let index = 0; index < count; index += 1) await records.event(endpoint.accountId);
}

describe('an endpoint that fails', () => {
  it('is parked and probed, told of once by many dispatchers, and gets everything when it returns (contract 4.7)', async () => {
    receiver.respond(({ path }) => (path === '/down' ? 500 : 200));
    const endpoint = await records.endpoint(`${receiver.url}down`, { eventTypes: ['job.*'] });
    const other = await records.endpoint(`${receiver.url}other`, {
      accountId: endpoint.accountId,
      eventTypes: ['endpoint.*'],
    });
    await events(endpoint, 40);
    const dispatchers = await Promise.all([1, 2, 3].map(() => start({ healthLimits: soon })));
    await becomes(endpoint, 'failing');
    await eventually(() => requests('/down') > 20, { withinMs: 15_000, describe: 'probes' });
    expect(requests('/down')).toBeLessThan(40);
    expect(await records.deliveries(other.id)).toHaveLength(1);
    receiver.respond([200]);
    const deliveries = await ends(endpoint, 'delivered');
    expect(deliveries).toHaveLength(40);
    for (const { attempt, uncounted } of deliveries) expect(attempt - uncounted).toBeLessThanOrEqual(2);
    await eventually(() => requests('/other') === 2, { describe: 'both notices' });
    const told = receiver
      .received(({ path }) => path === '/other')
      .map(({ body }) => JSON.parse(body.toString()) as object);
    expect(told).toMatchObject([
      { type: 'endpoint.failing', data: { id: typeId('ep', endpoint.id), state: 'failing', sequence: 1 } },
      { type: 'endpoint.recovered', data: { state: 'healthy', sequence: 2, failing_since: null } },
    ]);
    expect(dispatchers.flatMap(({ announced }) => announced.map(({ type }) => type)).sort()).toEqual([
      'endpoint.failing',
      'endpoint.recovered',
    ]);
  }, 40_000);

  it('is disabled after its time, what it missed is skipped, and nothing more is sent (contract 4.7)', async () => {
    receiver.respond([503]);
    const endpoint = await records.endpoint(receiver.url, { eventTypes: ['job.*'] });
    await events(endpoint, 12);
    const dispatcher = await start({ healthLimits: { ...soon, disableAfterMs: 1_000 } });
    await becomes(endpoint, 'disabled');
    await ends(endpoint, 'skipped');
    const sent = receiver.received().length;
    await events(endpoint, 1);
    await ends(endpoint, 'skipped');
    expect(receiver.received()).toHaveLength(sent);
    expect(dispatcher.announced.map(({ type }) => type)).toEqual(['endpoint.failing', 'endpoint.disabled']);
    const [row] = await records.run('SELECT disabled_reason, sequence FROM webhook_endpoints');
    expect(row).toEqual({ disabled_reason: 'failing', sequence: 2 });
    await records.run(
      `UPDATE webhook_endpoints SET state = 'failing', probe_at = now(), disabled_at = NULL, disabled_reason = NULL, first_failure_at = NULL`,
    );
    receiver.respond([200]);
    await events(endpoint, 2);
    await becomes(endpoint, 'healthy');
    await eventually(
      async () => (await records.deliveries(endpoint.id)).filter(({ state }) => state === 'delivered').length === 2,
    );
    expect((await records.deliveries(endpoint.id)).filter(({ state }) => state === 'skipped')).toHaveLength(13);
  }, 40_000);

  it('now and then is never failing, and its health is written only then', async () => {
    receiver.respond((_request, index) => (index % 20 === 0 ? 500 : 200));
    const endpoint = await records.endpoint(receiver.url);
    await records.run('UPDATE webhook_endpoints SET retry_schedule = ARRAY[0, 0, 0, 0]');
    await events(endpoint, 200);
    await start();
    await ends(endpoint, 'delivered', 20_000);
    expect(await stateOf(endpoint)).toBe('healthy');
    const [before] = await records.run('SELECT xmin::text FROM webhook_endpoints');
    receiver.respond([200]);
    await events(endpoint, 20);
    await ends(endpoint, 'delivered');
    const [after] = await records.run('SELECT xmin::text FROM webhook_endpoints');
    expect(after).toEqual(before);
  }, 40_000);
});

describe('a delivery', () => {
  it('is attempted exactly as often as its schedule says, and then never again (contract 4.4)', async () => {
    receiver.respond([403]);
    const endpoint = await records.endpoint(receiver.url);
    await records.run('UPDATE webhook_endpoints SET retry_schedule = ARRAY[0, 0, 0]');
    await events(endpoint, 1);
    await start();
    const [delivery] = await ends(endpoint, 'exhausted', 20_000);
    expect(delivery?.attempts.map(({ number, outcome }) => [number, outcome])).toEqual(
      [1, 2, 3, 4].map((number) => [number, 'client_error']),
    );
    expect(receiver.received()).toHaveLength(4);
    await records.event(await records.account());
    expect(await records.run(`SELECT FROM deliveries WHERE state IN ('pending', 'delivering')`)).toEqual([]);
  }, 30_000);

  it('of one event to two failing endpoints has a chain of attempts of its own at each', async () => {
    receiver.respond(({ path }) => (path === '/a' ? 500 : 404));
    const a = await records.endpoint(`${receiver.url}a`);
    const b = await records.endpoint(`${receiver.url}b`, { accountId: a.accountId });
    await records.run('UPDATE webhook_endpoints SET retry_schedule = ARRAY[0, 0] WHERE id = $1', [a.id]);
    await records.run('UPDATE webhook_endpoints SET retry_schedule = ARRAY[0] WHERE id = $1', [b.id]);
    await events(a, 1);
    await start();
    expect((await ends(a, 'exhausted'))[0]?.attempts).toHaveLength(3);
    expect((await ends(b, 'exhausted'))[0]?.attempts).toHaveLength(2);
    expect([requests('/a'), requests('/b')]).toEqual([3, 2]);
  }, 30_000);
});

describe('endpoints that hang', () => {
  it('never take the slots of those that answer, however many they are (contract 4.6)', async () => {
    receiver.respond(({ path }) => (path.startsWith('/hang') ? 'hang' : 200));
    const quick = await records.endpoint(`${receiver.url}quick`);
    await events(quick, 1);
    const dispatcher = await start({ config: { WEBHOOK_TIMEOUT: 10_000, WEBHOOK_CONCURRENCY: 20 } });
    await ends(quick, 'delivered');
    const hanging = await Promise.all(
      Array.from({ length: 8 }, (_, index) => records.endpoint(`${receiver.url}hang${index}`)),
    );
    for (const endpoint of hanging) await events(endpoint, 6);
    dispatcher.wake();
    await eventually(() => receiver.received(({ path }) => path.startsWith('/hang')).length === 15, {
      withinMs: 8_000,
    });
    await events(quick, 20);
    dispatcher.wake();
    await ends(quick, 'delivered', 5_000);
    expect(receiver.received(({ path }) => path.startsWith('/hang'))).toHaveLength(15);
  }, 40_000);
});
