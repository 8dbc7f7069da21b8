import { randomBytes } from 'node:crypto';
import { SecretKeyring } from '#libs/domain';
import {
  type ClaimedDelivery,
  Database,
  type DeliveryClaimRequest,
  DeliveryQueue,
  type DeliverySettlement,
  EndpointStore,
  migrate,
} from '#libs/persistence';
import { startTestPostgres, type TestPostgres } from '../support/postgres.js';
import { WebhookRecords } from '../dispatcher/webhook-records.js';

const keyring = SecretKeyring.parse(`k1:${Buffer.alloc(32, 1).toString('base64')}`, randomBytes);
const url = 'https://example.com/hook';
const claimAll = { limit: 100, leaseMs: 30_000, endpointCap: 10 };

let postgres: TestPostgres;
let database: Database;
let queue: DeliveryQueue;
let endpoints: EndpointStore;
let records: WebhookRecords;

beforeAll(async () => {
  postgres = await startTestPostgres();
  const databaseUrl = await postgres.createDatabase();
  await migrate(databaseUrl);
  database = new Database({ url: databaseUrl, purpose: 'work', poolSize: 12 });
  queue = new DeliveryQueue(database);
  endpoints = new EndpointStore(database);
  records = new WebhookRecords(database, keyring);
}, 60_000);

afterAll(async () => {
  await database.close();
  await postgres.stop();
}, 60_000);

beforeEach(() =>
  records.run('TRUNCATE deliveries, delivery_attempts, webhook_endpoints, endpoint_secrets, events CASCADE'),
);

function settlement(claimed: ClaimedDelivery, changes: Partial<DeliverySettlement> = {}): DeliverySettlement {
  return {
    deliveryId: claimed.id,
    claim: claimed.claim,
    outcome: 'delivered',
    durationMs: 12,
    statusCode: 200,
    responseBody: 'ok',
    next: { state: 'delivered' },
    ...changes,
  };
}

async function claim(changes: Partial<DeliveryClaimRequest> = {}): Promise<readonly ClaimedDelivery[]> {
  return (await queue.claim({ ...claimAll, ...changes })).deliveries;
}

async function settle(claimed: ClaimedDelivery, changes: Partial<DeliverySettlement> = {}) {
  const [written] = await queue.settle(database, [settlement(claimed, changes)]);
  return written?.settled;
}

async function claimOne(): Promise<ClaimedDelivery> {
  const [claimed] = await claim();
  if (claimed === undefined) throw new Error('nothing to claim');
  return claimed;
}

describe('a claim', () => {
  it('gives the event, the endpoint and its live secrets newest first, and counts and logs the attempt', async () => {
    const endpoint = await records.endpoint(url, { headers: { 'X-A': '1' } });
    const older = await records.secret(endpoint.id, 60_000);
    await records.secret(endpoint.id, -1);
    const event = await records.event(endpoint.accountId);
    const claimed = await claimOne();
    expect(claimed).toMatchObject({
      accountId: endpoint.accountId,
      endpointId: endpoint.id,
      eventId: event.id,
      eventType: 'job.completed',
      body: event.body,
      url,
      claim: 1,
      attempt: 1,
    });
    expect(claimed.sealedSecrets.map((sealed) => keyring.open(sealed))).toEqual([endpoint.secret, older]);
    expect(keyring.open(claimed.sealedHeaders ?? '')).toBe('{"X-A":"1"}');
    const stored = await records.delivery(endpoint.id);
    expect(stored).toMatchObject({ state: 'delivering', claim: 1, attempt: 1, wait_ms: null });
    expect(stored.lease_ms).toBeGreaterThan(25_000);
    expect(stored.attempts).toEqual([
      { number: 1, outcome: 'unknown', status_code: null, duration_ms: null, response_body: null },
    ]);
  });

  it('takes nothing that is not due yet, and nothing twice', async () => {
    const endpoint = await records.endpoint(url);
    await records.event(endpoint.accountId);
    await records.run(`UPDATE deliveries SET next_attempt_at = now() + interval '1 hour'`);
    expect(await claim()).toEqual([]);
    await records.makeDue(endpoint.id);
    expect(await claim()).toHaveLength(1);
    expect(await claim()).toEqual([]);
  });

  it('takes nothing of a disabled or a deleted endpoint, leases that ended included', async () => {
    const endpoints = await Promise.all([records.endpoint(url), records.endpoint(url), records.endpoint(url)]);
    for (const endpoint of endpoints) await records.event(endpoint.accountId);
    const [held, disabled, deleted] = endpoints;
    await records.run(
      `UPDATE webhook_endpoints SET state = 'disabled', disabled_at = now(), disabled_reason = 'requested' WHERE id = $1`,
      [disabled?.id],
    );
    await records.run(`UPDATE webhook_endpoints SET deleted_at = now() WHERE id = $1`, [deleted?.id]);
    expect((await claim()).map(({ endpointId }) => endpointId)).toEqual([held?.id]);
    await records.run(
      `UPDATE webhook_endpoints SET state = 'disabled', disabled_at = now(), disabled_reason = 'requested' WHERE id = $1`,
      [held?.id],
    );
    await records.endLeases(held?.id ?? '');
    expect(await claim()).toEqual([]);
  });

  it('takes a delivery again when its lease has ended, under a higher number and as one more attempt', async () => {
    const endpoint = await records.endpoint(url);
    await records.event(endpoint.accountId);
    await claimOne();
    await records.endLeases(endpoint.id);
    expect(await claimOne()).toMatchObject({ claim: 2, attempt: 2 });
    const { attempts } = await records.delivery(endpoint.id);
    expect(attempts.map(({ number, outcome }) => [number, outcome])).toEqual([
      [1, 'unknown'],
      [2, 'unknown'],
    ]);
  });

  it('leaves at most the cap in flight at one endpoint and gives the free slots to the others', async () => {
    const flooded = await records.endpoint(url);
    const quiet = await records.endpoint(url);
    for (let index = 0; index < 15; index += 1) await records.event(flooded.accountId);
    await records.event(quiet.accountId);
    const first = await claim({ endpointCap: 4 });
    expect(first.filter(({ endpointId }) => endpointId === flooded.id)).toHaveLength(4);
    expect(first.filter(({ endpointId }) => endpointId === quiet.id)).toHaveLength(1);
    expect(await claim({ endpointCap: 4 })).toEqual([]);
    for (const claimed of first) await settle(claimed);
    expect(await claim({ endpointCap: 4 })).toHaveLength(4);
  });

  it('goes round the endpoints when there are fewer slots than due deliveries, the earliest due first', async () => {
    const flooded = await records.endpoint(url);
    for (let index = 0; index < 9; index += 1) await records.event(flooded.accountId);
    const others = [await records.endpoint(url), await records.endpoint(url)];
    for (const other of others) await records.event(other.accountId);
    const claimed = await claim({ limit: 4 });
    expect(new Set(claimed.map(({ endpointId }) => endpointId))).toEqual(
      new Set([flooded.id, ...others.map(({ id }) => id)]),
    );
    const [oldest] = await records.deliveries(flooded.id);
    expect(oldest?.state).toBe('delivering');
  });

  it('is never shared by senders that claim at once, and leaves nothing due behind', async () => {
    const endpoints = await Promise.all(Array.from({ length: 8 }, () => records.endpoint(url)));
    for (let round = 0; round < 5; round += 1)
      await Promise.all(endpoints.map(({ accountId }) => records.event(accountId)));
    const seen: string[] = [];
    await Promise.all(
      Array.from({ length: 8 }, async () => {
        for (let empty = 0; empty < 2;) {
          const claimed = await claim({ limit: 3 });
          empty = claimed.length === 0 ? empty + 1 : 0;
          seen.push(...claimed.map(({ id }) => id));
        }
      }),
    );
    expect(seen).toHaveLength(40);
    expect(new Set(seen).size).toBe(40);
  });

  it('has one row of one event and endpoint in flight, the oldest first', async () => {
    const endpoint = await records.endpoint(url);
    const event = await records.event(endpoint.accountId);
    const first = await records.redelivery(event.id, endpoint.id);
    const second = await records.redelivery(event.id, endpoint.id);
    const claims = await Promise.all(Array.from({ length: 6 }, () => claim()));
    const [original, ...more] = claims.flat();
    expect(more).toEqual([]);
    expect(original?.id).not.toBe(first);
    await settle(original as ClaimedDelivery, { next: { state: 'pending', delayMs: 0 } });
    await records.run(`UPDATE deliveries SET next_attempt_at = now() + interval '1 hour' WHERE id = $1`, [
      original?.id,
    ]);
    const redelivered = await claimOne();
    expect(redelivered.id).toBe(first);
    await records.run(`UPDATE deliveries SET next_attempt_at = now() WHERE id = $1`, [original?.id]);
    expect(await claim()).toEqual([]);
    await settle(redelivered);
    await records.run(`UPDATE deliveries SET state = 'exhausted', next_attempt_at = NULL WHERE id = $1`, [
      original?.id,
    ]);
    expect((await claimOne()).id).toBe(second);
  });
});

describe('a settlement', () => {
  it('writes the attempt and ends the delivery', async () => {
    const endpoint = await records.endpoint(url);
    await records.event(endpoint.accountId);
    expect(await settle(await claimOne())).toBe('settled');
    expect(await records.delivery(endpoint.id)).toMatchObject({
      state: 'delivered',
      lease_ms: null,
      attempts: [{ number: 1, outcome: 'delivered', status_code: 200, duration_ms: 12, response_body: 'ok' }],
    });
  });

  it('makes a failed delivery due again after the delay, on the clock of the database', async () => {
    const endpoint = await records.endpoint(url);
    await records.event(endpoint.accountId);
    const failed = { outcome: 'timeout', statusCode: null, responseBody: null } as const;
    await settle(await claimOne(), { ...failed, next: { state: 'pending', delayMs: 5_000 } });
    const { state, wait_ms: waitMs } = await records.delivery(endpoint.id);
    expect(state).toBe('pending');
    expect(waitMs).toBeGreaterThan(4_000);
    expect(waitMs).toBeLessThanOrEqual(5_000);
  });

  it('that is repeated says that it went through before, and changes nothing', async () => {
    const endpoint = await records.endpoint(url);
    await records.event(endpoint.accountId);
    const claimed = await claimOne();
    await settle(claimed);
    const before = await records.delivery(endpoint.id);
    expect(await settle(claimed, { statusCode: 204 })).toBe('settled-before');
    expect(await records.delivery(endpoint.id)).toEqual(before);
  });

  it('of a lease that ended still counts while nobody else has the delivery', async () => {
    const endpoint = await records.endpoint(url);
    await records.event(endpoint.accountId);
    const claimed = await claimOne();
    await records.endLeases(endpoint.id);
    expect(await settle(claimed)).toBe('settled');
  });

  it('under a claim that moved on changes nothing', async () => {
    const endpoint = await records.endpoint(url);
    await records.event(endpoint.accountId);
    const zombie = await claimOne();
    await records.endLeases(endpoint.id);
    const current = await claimOne();
    const before = await records.delivery(endpoint.id);
    expect(await settle(zombie)).toBe('superseded');
    const after = await records.delivery(endpoint.id);
    expect({ ...after, lease_ms: 0 }).toEqual({ ...before, lease_ms: 0 });
    expect(await settle(current)).toBe('settled');
    expect(await settle(zombie)).toBe('superseded');
  });

  it('of a delivery that is gone is superseded', async () => {
    const endpoint = await records.endpoint(url);
    await records.event(endpoint.accountId);
    const claimed = await claimOne();
    await records.run('DELETE FROM events');
    expect(await settle(claimed)).toBe('superseded');
  });
});

describe('a sweep', () => {
  it('cancels deliveries of deleted endpoints and skips those of disabled ones, but none that a sender holds', async () => {
    const deleted = await records.endpoint(url);
    const disabled = await records.endpoint(url);
    const held = await records.endpoint(url);
    const lost = await records.endpoint(url);
    const healthy = await records.endpoint(url);
    for (const { accountId } of [held, lost]) await records.event(accountId);
    await claim();
    await records.endLeases(lost.id);
    for (const { accountId } of [deleted, disabled, healthy]) await records.event(accountId);
    await records.run('UPDATE webhook_endpoints SET deleted_at = now() WHERE id = ANY($1)', [[deleted.id, held.id]]);
    await records.run(
      `UPDATE webhook_endpoints SET state = 'disabled', disabled_at = now(), disabled_reason = 'requested' WHERE id = ANY($1)`,
      [[disabled.id, lost.id]],
    );
    expect(await queue.sweep(100)).toEqual({ cancelled: 1, skipped: 2, exhausted: 0, pending: 0 });
    const states = await Promise.all([deleted, disabled, held, lost, healthy].map(({ id }) => records.delivery(id)));
    expect(states.map(({ state }) => state)).toEqual(['cancelled', 'skipped', 'delivering', 'skipped', 'pending']);
    expect(await queue.sweep(100)).toEqual({ cancelled: 0, skipped: 0, exhausted: 0, pending: 0 });
  });

  it('makes the first two lost attempts again at once, then waits: it may be what its senders die of', async () => {
    const endpoint = await records.endpoint(url);
    await records.event(endpoint.accountId);
    const waitsS: number[] = [];
    for (let attempt = 1; attempt <= 4; attempt += 1) {
      await records.run(`UPDATE deliveries SET next_attempt_at = now() WHERE state = 'pending'`);
      expect(await claimOne()).toMatchObject({ attempt });
      await records.endLeases(endpoint.id);
      expect(await queue.sweep(100)).toMatchObject({ exhausted: 0, pending: attempt > 2 ? 1 : 0 });
      waitsS.push(Math.round((await records.delivery(endpoint.id)).wait_ms ?? 0) / 1_000);
    }
    expect(waitsS.map((waitS) => Math.round(waitS))).toEqual([0, 0, 5, 300]);
  });

  it('exhausts a delivery whose last attempt was lost with its sender, whose late answer then counts for nothing', async () => {
    const endpoint = await records.endpoint(url);
    await records.event(endpoint.accountId);
    await records.run('UPDATE deliveries SET attempt = 9');
    const last = await claimOne();
    expect(last.attempt).toBe(10);
    await records.endLeases(endpoint.id);
    expect(await claim()).toEqual([]);
    expect(await queue.sweep(100)).toEqual({ cancelled: 0, skipped: 0, exhausted: 1, pending: 0 });
    expect(await records.delivery(endpoint.id)).toMatchObject({ state: 'exhausted', attempt: 10 });
    expect(await settle(last)).toBe('superseded');
  });

  it('ends no more than its limit at once', async () => {
    const endpoint = await records.endpoint(url);
    for (let index = 0; index < 5; index += 1) await records.event(endpoint.accountId);
    await records.run('UPDATE webhook_endpoints SET deleted_at = now()');
    expect(await queue.sweep(3)).toMatchObject({ cancelled: 3 });
    expect(await queue.sweep(3)).toMatchObject({ cancelled: 2 });
  });
});

describe('the disabling of an endpoint', () => {
  it('happens once, however many ask at once', async () => {
    const endpoint = await records.endpoint(url);
    const asked = Array.from({ length: 6 }, () => database.transaction((tx) => endpoints.disable(tx, endpoint.id)));
    const disabled = (await Promise.all(asked)).filter((each) => each !== null);
    expect(disabled).toHaveLength(1);
    expect(disabled[0]).toMatchObject({ accountId: endpoint.accountId, url });
    expect(disabled[0]?.sequence).toBe(1);
  });

  it('does not happen to a deleted one', async () => {
    const endpoint = await records.endpoint(url);
    await records.run('UPDATE webhook_endpoints SET deleted_at = now()');
    expect(await database.transaction((tx) => endpoints.disable(tx, endpoint.id))).toBeNull();
  });
});
