import { randomBytes } from 'node:crypto';
import { pino } from 'pino';
import { endpointHealthLimits, SecretKeyring } from '#libs/domain';
import {
  type ClaimedDelivery,
  Database,
  DeliveryQueue,
  type DeliverySettlement,
  EndpointHealthStore,
  EventStore,
  migrate,
} from '#libs/persistence';
import { ChangeEndpointHealth } from '../../apps/dispatcher/src/deliver-webhook/change-endpoint-health.js';
import { SettleDelivery } from '../../apps/dispatcher/src/deliver-webhook/settle-delivery.js';
import { startTestPostgres, type TestPostgres } from '../support/postgres.js';
import { type TestEndpoint, WebhookRecords } from './webhook-records.js';

const keyring = SecretKeyring.parse(`k1:${Buffer.alloc(32, 1).toString('base64')}`, randomBytes);

/** Counts how often it is asked to settle. */
class CountingQueue extends DeliveryQueue {
  settles = 0;

  override settle(...values: Parameters<DeliveryQueue['settle']>): ReturnType<DeliveryQueue['settle']> {
    this.settles += 1;
    return super.settle(...values);
  }
}

let postgres: TestPostgres;
let database: Database;
let queue: CountingQueue;
let records: WebhookRecords;
let settler: SettleDelivery;

beforeAll(async () => {
  postgres = await startTestPostgres();
  const databaseUrl = await postgres.createDatabase();
  await migrate(databaseUrl);
  database = new Database({ url: databaseUrl, purpose: 'work', poolSize: 6 });
  queue = new CountingQueue(database);
  records = new WebhookRecords(database, keyring);
  const health = new ChangeEndpointHealth({
    health: new EndpointHealthStore(),
    events: new EventStore({ topic: 'pdfonce.events.v1', state: 'local' }),
    limits: endpointHealthLimits,
  });
  const log = pino({ level: 'silent' });
  settler = new SettleDelivery({ database, queue, health, announcer: { announce: () => undefined }, log });
}, 60_000);

afterAll(async () => {
  await database.close();
  await postgres.stop();
}, 60_000);

beforeEach(() =>
  records.run('TRUNCATE deliveries, delivery_attempts, webhook_endpoints, endpoint_secrets, events CASCADE'),
);

async function claimed(endpoint: TestEndpoint, events: number): Promise<readonly ClaimedDelivery[]> {
  for (let index = 0; index < events; index += 1) await records.event(endpoint.accountId);
  return (await queue.claim({ limit: 50, leaseMs: 30_000, endpointCap: 50 })).deliveries;
}

function settle(delivery: ClaimedDelivery | undefined, changes: Partial<DeliverySettlement> = {}) {
  if (delivery === undefined) throw new Error('nothing was claimed');
  const end: DeliverySettlement = {
    deliveryId: delivery.id,
    claim: delivery.claim,
    outcome: 'delivered',
    durationMs: 1,
    statusCode: 200,
    responseBody: 'ok',
    next: { state: 'delivered' },
    ...changes,
  };
  return settler.settle({ claimed: delivery, end, retryAfterMs: null }, performance.now() + 30_000);
}

describe('attempts that end together', () => {
  it('are written together, and each is told what became of its own', async () => {
    const endpoint = await records.endpoint('https://example.com/hook');
    const [before, zombie, ...others] = await claimed(endpoint, 20);
    expect(await settle(before)).toBe('settled');
    await records.run('UPDATE deliveries SET claim = claim + 1 WHERE id = $1', [zombie?.id]);
    const all = [before, zombie, ...others];
    const settlesBefore = queue.settles;
    const outcomes = await Promise.all(all.map((delivery) => settle(delivery)));
    expect(queue.settles - settlesBefore).toBeLessThan(all.length / 2);
    expect(outcomes).toEqual(['settled-before', 'superseded', ...others.map(() => 'settled')]);
    const open = await records.run(`SELECT id FROM deliveries WHERE state = 'delivering'`);
    expect(open).toEqual([{ id: zombie?.id }]);
  });

  it('are written each for itself when one of them cannot be', async () => {
    const endpoint = await records.endpoint('https://example.com/hook');
    const [broken, ...others] = await claimed(endpoint, 5);
    const failing = settle(broken, { responseBody: '\u0000' });
    const outcomes = await Promise.all(others.map((delivery) => settle(delivery)));
    expect(outcomes).toEqual(others.map(() => 'settled'));
    await expect(failing).rejects.toThrow('invalid byte sequence');
  }, 20_000);

  it('move the health of their endpoint on, also when it changed since they were claimed', async () => {
    const endpoint = await records.endpoint('https://example.com/hook');
    const [late, ...others] = await claimed(endpoint, 6);
    const failed = { outcome: 'timeout', statusCode: null, next: { state: 'pending', delayMs: 1_000 } } as const;
    await Promise.all(others.map((delivery) => settle(delivery, failed)));
    const health = 'SELECT state, consecutive_failures, sequence FROM webhook_endpoints';
    expect(await records.run(health)).toEqual([{ state: 'failing', consecutive_failures: 5, sequence: 1 }]);
    expect(await settle(late)).toBe('settled');
    expect(await records.run(health)).toEqual([{ state: 'healthy', consecutive_failures: 0, sequence: 2 }]);
  });

  it('move it on too when the answer to their first settlement was lost', async () => {
    const endpoint = await records.endpoint('https://example.com/hook');
    const [delivery] = await claimed(endpoint, 1);
    await records.run('UPDATE webhook_endpoints SET consecutive_failures = 3, first_failure_at = now()');
    await records.run(`UPDATE deliveries SET state = 'delivered', lease_until = NULL, finished_at = now()`);
    expect(await settle(delivery)).toBe('settled-before');
    expect(await records.run('SELECT consecutive_failures FROM webhook_endpoints')).toEqual([
      { consecutive_failures: 0 },
    ]);
  });
});
