import { randomBytes } from 'node:crypto';
import { pino } from 'pino';
import { endpointHealthLimits, SecretKeyring } from '#libs/domain';
import {
  type ClaimedDelivery,
  Database,
  DeliveryQueue,
  type DeliverySettlement,
  EndpointHealthStore,
  EndpointStore,
  EventStore,
  migrate,
} from '#libs/persistence';
import { ChangeEndpointHealth } from '../../apps/dispatcher/src/deliver-webhook/change-endpoint-health.js';
import { SettleDelivery } from '../../apps/dispatcher/src/deliver-webhook/settle-delivery.js';
import { type TestEndpoint, WebhookRecords } from '../dispatcher/webhook-records.js';
import { eventually } from '../support/eventually.js';
import { startTestPostgres, type TestPostgres } from '../support/postgres.js';
import { waitingForLocks } from '../support/waiting-for-locks.js';

const keyring = SecretKeyring.parse(`k1:${Buffer.alloc(32, 1).toString('base64')}`, randomBytes);
const url = 'https://example.com/hook';
const failed = { outcome: 'timeout', durationMs: 1, statusCode: null, responseBody: null } as const;

let postgres: TestPostgres;
let database: Database;
let queue: DeliveryQueue;
let records: WebhookRecords;

beforeAll(async () => {
  postgres = await startTestPostgres();
  const databaseUrl = await postgres.createDatabase();
  await migrate(databaseUrl);
  database = new Database({ url: databaseUrl, purpose: 'work', poolSize: 8 });
  queue = new DeliveryQueue(database);
  records = new WebhookRecords(database, keyring);
}, 60_000);

afterAll(async () => {
  await database.close();
  await postgres.stop();
}, 60_000);

beforeEach(() =>
  records.run('TRUNCATE deliveries, delivery_attempts, webhook_endpoints, endpoint_secrets, events CASCADE'),
);

async function claimed(endpoints: readonly TestEndpoint[], events: number): Promise<readonly ClaimedDelivery[]> {
  for (const { accountId } of endpoints) {
    for (let index = 0; index < events; index += 1) await records.event(accountId);
  }
  return (await queue.claim({ limit: 100, leaseMs: 30_000, endpointCap: 50 })).deliveries;
}

function endOf({ id, claim }: ClaimedDelivery): DeliverySettlement {
  return { deliveryId: id, claim, ...failed, next: { state: 'pending', delayMs: 60_000 } };
}

/** No endpoint has anything due, so whatever comes due is noted. */
async function letRest(): Promise<void> {
  await records.run(`UPDATE due_endpoints SET due_at = 'infinity'`);
}

/** So many statements of this database wait for locks. */
async function waiting(statements: number): Promise<void> {
  const areWaiting = async () => (await waitingForLocks((sql, values) => records.run(sql, values))) >= statements;
  await eventually(areWaiting, { describe: 'statements that wait' });
}

/** Counts the settlements that it is asked for, those that are repeated included. */
class CountingQueue extends DeliveryQueue {
  settles = 0;

  override settle(...values: Parameters<DeliveryQueue['settle']>): ReturnType<DeliveryQueue['settle']> {
    this.settles += 1;
    return super.settle(...values);
  }
}

describe('statements that make deliveries of several endpoints due', () => {
  it('never wait for each other, whatever the order of their deliveries', async () => {
    const endpoints = [await records.endpoint(url), await records.endpoint(url)];
    for (let round = 0; round < 3; round += 1) {
      const deliveries = await claimed(endpoints, 2);
      const [x, y] = endpoints.map(({ id }) => deliveries.filter(({ endpointId }) => endpointId === id).map(endOf));
      await letRest();
      const settlements = await database.transaction(async (tx) => {
        await tx.query({ name: '', text: 'SELECT FROM due_endpoints FOR UPDATE' });
        const both = Promise.all(
          [0, 1].map((index) => {
            const ends = [x?.[index], y?.[index]].filter((end) => end !== undefined);
            return queue.settle(database, index === 0 ? ends : ends.reverse());
          }),
        );
        await waiting(2);
        return { both };
      });
      expect((await settlements.both).flat().map(({ settled }) => settled)).toEqual(Array(4).fill('settled'));
    }
  }, 30_000);
});

describe('the end of an attempt that tells of its endpoint', () => {
  it('waits for whoever changes the endpoint before it holds anything', async () => {
    const endpoint = await records.endpoint(url);
    const [delivery] = await claimed([endpoint], 1);
    if (delivery === undefined) throw new Error('nothing was claimed');
    await letRest();
    const health = new ChangeEndpointHealth({
      health: new EndpointHealthStore(),
      events: new EventStore({ topic: 'pdfonce.events.v1', state: 'local' }),
      limits: endpointHealthLimits,
    });
    const log = pino({ level: 'silent' });
    const counting = new CountingQueue(database);
    const settler = new SettleDelivery({
      database,
      queue: counting,
      health,
      announcer: { announce: () => undefined },
      log,
    });
    const endpoints = new EndpointStore(database);
    let runs = 0;
    const { settled } = await database.transaction(async (tx) => {
      runs += 1;
      await endpoints.lock(tx, endpoint.accountId, endpoint.id);
      const ended = { claimed: delivery, end: endOf(delivery), retryAfterMs: null };
      const settling = settler.settle(ended, performance.now() + 30_000);
      await waiting(1);
      await endpoints.disable(tx, endpoint.id);
      await endpoints.enable(tx, endpoint.id);
      return { settled: settling };
    });
    expect(await settled).toBe('settled');
    expect([runs, counting.settles]).toEqual([1, 1]);
  }, 30_000);
});
