import { randomBytes } from 'node:crypto';
import { endpointHealthLimits, SecretKeyring } from '#libs/domain';
import {
  type ClaimedDelivery,
  Database,
  DeliveryQueue,
  EndpointHealthStore,
  EventStore,
  migrate,
} from '#libs/persistence';
import {
  ChangeEndpointHealth,
  type RecordedAttempt,
} from '../../apps/dispatcher/src/deliver-webhook/change-endpoint-health.js';
import { type TestEndpoint, WebhookRecords } from '../dispatcher/webhook-records.js';
import { startTestPostgres, type TestPostgres } from '../support/postgres.js';

const keyring = SecretKeyring.parse(`k1:${Buffer.alloc(32, 1).toString('base64')}`, randomBytes);
const url = 'https://example.com/hook';
const claimAll = { limit: 100, leaseMs: 30_000, endpointCap: 10 };

let postgres: TestPostgres;
let database: Database;
let queue: DeliveryQueue;
let records: WebhookRecords;
let change: ChangeEndpointHealth;

beforeAll(async () => {
  postgres = await startTestPostgres();
  const databaseUrl = await postgres.createDatabase();
  await migrate(databaseUrl);
  database = new Database({ url: databaseUrl, purpose: 'work', poolSize: 12 });
  queue = new DeliveryQueue(database);
  records = new WebhookRecords(database, keyring);
  change = new ChangeEndpointHealth({
    health: new EndpointHealthStore(),
    events: new EventStore({ topic: 'pdfonce.events.v1', state: 'local' }),
    limits: endpointHealthLimits,
  });
}, 60_000);

afterAll(async () => {
  await database.close();
  await postgres.stop();
}, 60_000);

beforeEach(() =>
  records.run('TRUNCATE deliveries, delivery_attempts, webhook_endpoints, endpoint_secrets, events CASCADE'),
);

interface HealthRow {
  readonly state: string;
  readonly sequence: number;
  readonly consecutive_failures: number;
  readonly probe_ms: number | null;
  readonly is_failing_since: boolean;
  readonly disabled_reason: string | null;
}

async function healthOf({ id }: TestEndpoint): Promise<HealthRow | undefined> {
  const [row] = await records.run<HealthRow>(
    `SELECT state, sequence, consecutive_failures, (extract(epoch FROM probe_at - now()) * 1000)::float8 AS probe_ms,
            first_failure_at IS NOT NULL AS is_failing_since, disabled_reason
     FROM webhook_endpoints WHERE id = $1`,
    [id],
  );
  return row;
}

function attempt(endpoint: TestEndpoint, changes: Partial<RecordedAttempt> = {}): RecordedAttempt {
  return { endpointId: endpoint.id, outcome: 'timeout', isProbe: false, retryAfterMs: null, ...changes };
}

async function note(...attempts: RecordedAttempt[]) {
  return database.transaction(async (tx) => change.change(tx, await change.lock(tx, attempts), attempts));
}

async function claim(): Promise<readonly ClaimedDelivery[]> {
  return (await queue.claim(claimAll)).deliveries;
}

/** An endpoint that is failing, with so many parked deliveries; it is to be probed in so long. */
async function failing(parked: number, probeInMs: number): Promise<TestEndpoint> {
  const endpoint = await records.endpoint(url);
  await records.run(
    `UPDATE webhook_endpoints SET state = 'failing', probe_at = now() + $2::float8 * interval '1 millisecond', consecutive_failures = 5,
       first_failure_at = now() WHERE id = $1`,
    [endpoint.id, probeInMs],
  );
  for (let index = 0; index < parked; index += 1) await records.event(endpoint.accountId);
  return endpoint;
}

describe('a failing endpoint', () => {
  it('gives no delivery before its probe is due, then one, however many claim at once (contract 4.7)', async () => {
    const endpoint = await failing(20, 60_000);
    expect(await claim()).toEqual([]);
    await records.run('UPDATE webhook_endpoints SET probe_at = now()');
    const claims = await Promise.all(Array.from({ length: 10 }, claim));
    expect(claims.flat()).toHaveLength(1);
    expect(claims.flat()[0]).toMatchObject({ isProbe: true, isEndpointWell: false, lane: 'later' });
    expect((await healthOf(endpoint))?.probe_ms).toBeGreaterThan(29_000);
    await records.run('UPDATE webhook_endpoints SET probe_at = now()');
    expect(await claim()).toEqual([]);
  });

  it('is held by a claim only if it takes its probe', async () => {
    await Promise.all([1, 2, 3].map(() => failing(1, 0)));
    expect((await queue.claim({ ...claimAll, limit: 1 })).deliveries).toHaveLength(1);
    await database.transaction(async (tx) => {
      const text = 'SELECT FROM webhook_endpoints WHERE probe_at <= now() ORDER BY id LIMIT 1 FOR NO KEY UPDATE';
      await tx.query({ name: '', text });
      const rest = await queue.claim(claimAll);
      expect(rest).toMatchObject({ isContended: true, deliveries: [{ isProbe: true }] });
    });
    expect(await claim()).toHaveLength(1);
  });

  it('gives nothing while what was in flight before is not over', async () => {
    const endpoint = await failing(3, 60_000);
    await records.run(`UPDATE webhook_endpoints SET state = 'healthy', probe_at = NULL`);
    const [held] = (await queue.claim({ ...claimAll, limit: 1 })).deliveries;
    await records.run(`UPDATE webhook_endpoints SET state = 'failing', probe_at = now()`);
    expect(await claim()).toEqual([]);
    const end = { outcome: 'timeout', durationMs: 1, statusCode: null, responseBody: null } as const;
    const next = { state: 'pending', delayMs: 0 } as const;
    await queue.settle(database, [{ deliveryId: held?.id ?? '', claim: held?.claim ?? 0, ...end, next }]);
    expect(await claim()).toHaveLength(1);
    expect((await records.deliveries(endpoint.id)).filter(({ state }) => state === 'delivering')).toHaveLength(1);
  });

  it('has its probe parked again when the prober dies, and is probed when the lease has ended', async () => {
    const endpoint = await failing(1, 0);
    expect(await claim()).toHaveLength(1);
    await records.endLeases(endpoint.id);
    expect(await claim()).toEqual([]);
    expect(await queue.sweep(10)).toMatchObject({ pending: 1, exhausted: 0 });
    expect(await claim()).toEqual([]);
    await records.run('UPDATE webhook_endpoints SET probe_at = now()');
    expect(await claim()).toMatchObject([{ isProbe: true, claim: 3, attempt: 2, uncounted: 1 }]);
  });

  it('costs a delivery no attempt of its schedule, however many probers die', async () => {
    const endpoint = await failing(1, 0);
    await records.run('UPDATE webhook_endpoints SET retry_schedule = ARRAY[10]');
    for (let probes = 1; probes <= 4; probes += 1) {
      await records.run('UPDATE webhook_endpoints SET probe_at = now()');
      expect(await claim()).toHaveLength(1);
      await records.endLeases(endpoint.id);
      expect(await queue.sweep(10)).toMatchObject({ pending: 1, exhausted: 0 });
      expect(await records.delivery(endpoint.id)).toMatchObject({ attempt: probes, uncounted: probes });
    }
  });

  it('is claimed from again as soon as it is healthy', async () => {
    const endpoint = await failing(20, 60_000);
    await records.run(`UPDATE due_endpoints SET due_at = now() - interval '2 seconds'`);
    expect(await queue.restEndpoints(10)).toBe(1);
    await note(attempt(endpoint, { outcome: 'delivered', isProbe: true }));
    expect(await claim()).toHaveLength(10);
  });
});

describe('a change of the state of an endpoint', () => {
  it('is told once, with the next number, however many see it at once (contract 4.7)', async () => {
    const endpoint = await records.endpoint(url);
    const other = await records.endpoint(url, { accountId: endpoint.accountId, eventTypes: ['endpoint.*'] });
    const notices = await Promise.all(Array.from({ length: 12 }, () => note(attempt(endpoint))));
    expect(notices.flat().map(({ type }) => type)).toEqual(['endpoint.failing']);
    expect(await healthOf(endpoint)).toMatchObject({ state: 'failing', sequence: 1, is_failing_since: true });
    expect(await records.deliveries(other.id)).toHaveLength(1);
    const recovered = await Promise.all(
      Array.from({ length: 12 }, () => note(attempt(endpoint, { outcome: 'delivered' }))),
    );
    expect(recovered.flat().map(({ type }) => type)).toEqual(['endpoint.recovered']);
    expect(await healthOf(endpoint)).toEqual({
      state: 'healthy',
      sequence: 2,
      consecutive_failures: 0,
      probe_ms: null,
      is_failing_since: false,
      disabled_reason: null,
    });
    const events = await records.run<{ type: string; sequence: number; body: string }>(
      'SELECT type, sequence, body FROM events ORDER BY sequence',
    );
    expect(events.map(({ type, sequence }) => [type, sequence])).toEqual([
      ['endpoint.failing', 1],
      ['endpoint.recovered', 2],
    ]);
  });

  it('is told in order when many attempts of several endpoints are written together', async () => {
    const endpoints = await Promise.all(Array.from({ length: 3 }, () => records.endpoint(url)));
    const round = endpoints.map((endpoint) => attempt(endpoint));
    const recovered = endpoints.map((endpoint) => attempt(endpoint, { outcome: 'delivered' }));
    const gone = endpoints.map((endpoint) => attempt(endpoint, { outcome: 'gone' }));
    const notices = await note(...[round, round, round, round, round, recovered, gone, round].flat());
    expect(notices).toHaveLength(9);
    for (const endpoint of endpoints) {
      expect(await healthOf(endpoint)).toMatchObject({ state: 'disabled', sequence: 3, disabled_reason: 'gone' });
    }
  });

  it('that is undone leaves no notice', async () => {
    const endpoint = await records.endpoint(url);
    const undone = database.transaction(async (tx) => {
      const attempts = [attempt(endpoint, { outcome: 'gone' })];
      await change.change(tx, await change.lock(tx, attempts), attempts);
      throw new Error('undone');
    });
    await expect(undone).rejects.toThrow('undone');
    expect(await healthOf(endpoint)).toMatchObject({ state: 'healthy', sequence: 0 });
    expect(await records.run('SELECT FROM events')).toEqual([]);
  });

  it('does not happen to a deleted or a disabled one', async () => {
    const endpoint = await records.endpoint(url);
    await records.run(
      `UPDATE webhook_endpoints SET state = 'disabled', disabled_at = now(), disabled_reason = 'requested'`,
    );
    expect(await note(attempt(endpoint, { outcome: 'delivered' }))).toEqual([]);
    expect(await healthOf(endpoint)).toMatchObject({ state: 'disabled', disabled_reason: 'requested' });
    await records.run('UPDATE webhook_endpoints SET deleted_at = now()');
    expect(await note(attempt(endpoint, { outcome: 'gone' }))).toEqual([]);
  });
});
