import { randomBytes } from 'node:crypto';
import { createServer, type Server } from 'node:net';
import type { AddressInfo } from 'node:net';
import { AddressAllowList, SecretKeyring, typeId, uuidOf } from '#libs/domain';
import type { ResolveHost } from '#libs/egress';
import { Database, DeliveryQueue, migrate } from '#libs/persistence';
import { eventually } from '../support/eventually.js';
import { startTestPostgres, type TestPostgres } from '../support/postgres.js';
import { verified, WebhookReceiver } from '../support/webhook-receiver.js';
import { type DispatcherStart, type RunningDispatcher, startDispatcher } from './running-dispatcher.js';
import { type DeliveryRecord, type TestEndpoint, WebhookRecords } from './webhook-records.js';

const keyring = SecretKeyring.parse(`k1:${Buffer.alloc(32, 1).toString('base64')}`, randomBytes);
const hourMs = 3_600_000;

let postgres: TestPostgres;
let databaseUrl: string;
let database: Database;
let records: WebhookRecords;
let receiver: WebhookReceiver;
const running: RunningDispatcher[] = [];
const servers: Server[] = [];

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
  for (const server of servers.splice(0)) server.close();
}, 20_000);

async function start(options: Partial<DispatcherStart> = {}): Promise<RunningDispatcher> {
  const dispatcher = await startDispatcher({ databaseUrl, keyring, ...options });
  running.push(dispatcher);
  return dispatcher;
}

async function stateOf(endpoint: TestEndpoint, state: string): Promise<DeliveryRecord> {
  return eventually(
    async () => {
      const delivery = await records.delivery(endpoint.id);
      return delivery.state === state ? delivery : undefined;
    },
    { describe: `delivery is ${state}` },
  ) as Promise<DeliveryRecord>;
}

/** The delivery after its attempt of that number has ended. */
async function attempted(endpoint: TestEndpoint, number = 1): Promise<DeliveryRecord> {
  return eventually(
    async () => {
      const delivery = await records.delivery(endpoint.id);
      return delivery.attempts[number - 1]?.duration_ms == null ? undefined : delivery;
    },
    { withinMs: 10_000, describe: `attempt ${number} has ended` },
  ) as Promise<DeliveryRecord>;
}

describe('a delivery', () => {
  it('sends the stored bytes, signed with every live secret, and is delivered by 2xx', async () => {
    receiver.respond([{ status: 201, body: 'thanks' }]);
    const endpoint = await records.endpoint(`${receiver.url}hook?a=1`);
    const older = await records.secret(endpoint.id, 60_000);
    const expired = await records.secret(endpoint.id, -1);
    const event = await records.event(endpoint.accountId);
    await start();
    const delivery = await stateOf(endpoint, 'delivered');
    expect(delivery.attempts).toMatchObject([
      { number: 1, outcome: 'delivered', status_code: 201, response_body: 'thanks' },
    ]);
    const [request, ...more] = receiver.received();
    if (request === undefined) throw new Error('no request');
    expect(more).toEqual([]);
    expect(request).toMatchObject({ method: 'POST', path: '/hook?a=1' });
    expect(request.body.toString()).toBe(event.body);
    expect(request.headers).toMatchObject({
      'webhook-id': typeId('evt', event.id),
      'pdfonce-delivery-id': typeId('dlv', delivery.id),
      'content-type': 'application/json',
    });
    expect(request.headers['user-agent']).toMatch(/^pdfonce\/\d+\.\d+\.\d+$/);
    for (const secret of [endpoint.secret, older]) expect(verified(secret)(request)).toEqual(JSON.parse(event.body));
    expect(() => verified(expired)(request)).toThrow();
  });

  it('carries the headers of its endpoint, which cannot replace those of the service', async () => {
    const headers = {
      Authorization: 'Bearer abc',
      'X-Tenant': '7',
      'Webhook-Id': 'forged',
      'content-type': 'text/html',
    };
    const endpoint = await records.endpoint(receiver.url, { headers });
    await records.event(endpoint.accountId);
    await start();
    await stateOf(endpoint, 'delivered');
    const [request] = receiver.received();
    expect(request?.headers).toMatchObject({
      authorization: 'Bearer abc',
      'x-tenant': '7',
      'content-type': 'application/json',
    });
    expect(request?.headers['webhook-id']).toMatch(/^evt_/);
  });

  it('has the same id and bytes on every attempt, and the time of that attempt', async () => {
    receiver.respond([500, 404, 200]);
    const endpoint = await records.endpoint(receiver.url);
    const event = await records.event(endpoint.accountId);
    await start();
    for (const attempt of [1, 2]) {
      await attempted(endpoint, attempt);
      const second = Math.floor(Date.now() / 1000);
      await eventually(() => Math.floor(Date.now() / 1000) > second, { describe: 'the next second' });
      await records.makeDue(endpoint.id);
    }
    const { attempts } = await stateOf(endpoint, 'delivered');
    expect(attempts.map(({ outcome }) => outcome)).toEqual(['server_error', 'client_error', 'delivered']);
    const requests = receiver.received();
    expect(new Set(requests.map(({ headers }) => headers['webhook-id']))).toEqual(new Set([typeId('evt', event.id)]));
    expect(new Set(requests.map(({ body }) => body.toString()))).toEqual(new Set([event.body]));
    const timestamps = requests.map(({ headers }) => Number(headers['webhook-timestamp']));
    expect(new Set(timestamps).size).toBe(3);
    for (const request of requests) expect(verified(endpoint.secret)(request)).toBeDefined();
  });

  it('waits as the schedule says, at least as long as Retry-After asks, and is exhausted by the last attempt', async () => {
    receiver.respond([
      500,
      { status: 429, headers: { 'retry-after': '7200' } },
      { status: 503, headers: { 'retry-after': '1' } },
      500,
    ]);
    const endpoint = await records.endpoint(receiver.url);
    await records.event(endpoint.accountId);
    await start();
    const first = await attempted(endpoint, 1);
    expect(first.wait_ms).toBeGreaterThan(4_000);
    expect(first.wait_ms).toBeLessThan(7_001);
    await records.makeDue(endpoint.id);
    const second = await attempted(endpoint, 2);
    expect(second.wait_ms).toBeGreaterThan(2 * hourMs - 1_000);
    expect(second.wait_ms).toBeLessThan(2.2 * hourMs);
    await records.makeDue(endpoint.id);
    const third = await attempted(endpoint, 3);
    expect(third.wait_ms).toBeGreaterThan(hourMs / 2 - 1_000);
    await records.run('UPDATE deliveries SET attempt = 9, next_attempt_at = now()');
    const last = await stateOf(endpoint, 'exhausted');
    expect(last.attempts.at(-1)).toMatchObject({ number: 10, outcome: 'server_error' });
  });

  it('keeps at most 16 KiB of an answer, without what Postgres cannot store, and does not wait for an endless one', async () => {
    const endless = createServer((socket) => {
      socket.on('error', () => undefined);
      socket.write('HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n');
      const pour = (): void => {
        while (!socket.destroyed && socket.write(`1000\r\n${'a\0é '.repeat(820).slice(0, 4_096 - 820)}\r\n`));
      };
      socket.on('drain', pour).once('data', pour);
    });
    const body = `\0${'é'.repeat(40_000)}`;
    receiver.respond([{ status: 200, body }]);
    const url = await listen(endless);
    const endpoint = await records.endpoint(receiver.url);
    const other = await records.endpoint(url);
    for (const { accountId } of [endpoint, other]) await records.event(accountId);
    await start();
    const { attempts } = await stateOf(endpoint, 'delivered');
    expect(Buffer.byteLength(attempts[0]?.response_body ?? '')).toBeLessThanOrEqual(16 * 1024);
    expect(attempts[0]?.response_body).toMatch(/^é+$/);
    const outcome = (await attempted(other)).attempts[0];
    expect(outcome?.duration_ms).toBeLessThan(1_500);
  });
});

describe('an attempt fails', () => {
  it('with redirected by 3xx, which is not followed', async () => {
    receiver.respond([{ status: 302, headers: { location: `${receiver.url}elsewhere` } }]);
    const endpoint = await records.endpoint(receiver.url);
    await records.event(endpoint.accountId);
    await start();
    expect(await attempted(endpoint)).toMatchObject({
      state: 'pending',
      attempts: [{ outcome: 'redirected', status_code: 302 }],
    });
    expect(receiver.received()).toHaveLength(1);
  });

  it('with timeout when the receiver does not answer', async () => {
    receiver.respond(['hang']);
    const endpoint = await records.endpoint(receiver.url);
    await records.event(endpoint.accountId);
    await start({ config: { WEBHOOK_TIMEOUT: 400 } });
    const { attempts, state } = await attempted(endpoint);
    expect(state).toBe('pending');
    expect(attempts).toMatchObject([{ outcome: 'timeout', status_code: null }]);
    expect(attempts[0]?.duration_ms).toBeGreaterThanOrEqual(399);
    expect(attempts[0]?.duration_ms).toBeLessThan(1_500);
  });

  it('with connection_reset when the receiver cuts the connection', async () => {
    receiver.respond(['reset']);
    const endpoint = await records.endpoint(receiver.url);
    await records.event(endpoint.accountId);
    await start();
    expect((await attempted(endpoint)).attempts).toMatchObject([{ outcome: 'connection_reset' }]);
  });

  it('with connection_refused when nobody listens', async () => {
    const server = createServer();
    const url = await listen(server);
    await new Promise((resolve) => server.close(resolve));
    const endpoint = await records.endpoint(url);
    await records.event(endpoint.accountId);
    await start();
    expect((await attempted(endpoint)).attempts).toMatchObject([{ outcome: 'connection_refused' }]);
  });

  it('with dns_error when the name does not exist', async () => {
    const endpoint = await records.endpoint('https://receiver.invalid/');
    await records.event(endpoint.accountId);
    await start({
      resolve: async () => Promise.reject(Object.assign(new Error('no such name'), { code: 'ENOTFOUND' })),
    });
    expect((await attempted(endpoint)).attempts).toMatchObject([{ outcome: 'dns_error' }]);
  });

  it('with tls_error when https is spoken to a server that does not', async () => {
    const endpoint = await records.endpoint(receiver.url.replace('http:', 'https:'));
    await records.event(endpoint.accountId);
    await start();
    expect((await attempted(endpoint)).attempts).toMatchObject([{ outcome: 'tls_error' }]);
    expect(receiver.received()).toEqual([]);
  });

  it('with invalid_response when the answer is no HTTP', async () => {
    const server = createServer((socket) => void socket.once('data', () => socket.end('hello\r\n\r\n')));
    const endpoint = await records.endpoint(await listen(server));
    await records.event(endpoint.accountId);
    await start();
    expect((await attempted(endpoint)).attempts).toMatchObject([{ outcome: 'invalid_response' }]);
  });

  it('without a request when its secret cannot be opened, and is tried again by the schedule', async () => {
    const endpoint = await records.endpoint(receiver.url);
    await records.event(endpoint.accountId);
    const other = SecretKeyring.parse(`k2:${Buffer.alloc(32, 2).toString('base64')}`, randomBytes);
    const dispatcher = await start({ keyring: other });
    const delivery = await attempted(endpoint);
    expect(delivery).toMatchObject({ state: 'pending', attempts: [{ outcome: 'unsigned', status_code: null }] });
    expect(delivery.wait_ms).toBeGreaterThan(4_000);
    expect(receiver.received()).toEqual([]);
    expect(dispatcher.log).toContainEqual(expect.objectContaining({ level: 50, msg: 'delivery.unsigned' }));
  });
});

describe('the address guard', () => {
  const named = (port: number, answers: readonly string[][]): { url: string; resolve: ResolveHost } => {
    let asked = 0;
    return {
      url: `http://receiver.test:${port}/`,
      resolve: async () =>
        (answers[Math.min(asked++, answers.length - 1)] ?? []).map((address) => ({
          address,
          family: address.includes(':') ? 6 : 4,
        })),
    };
  };

  it.each([
    ['a private address', ['10.0.0.1']],
    ['a metadata address', ['169.254.169.254']],
    ['a mapped private address', ['::ffff:10.0.0.1']],
    ['one allowed and one refused address', ['127.0.0.1', '10.0.0.1']],
    ['one refused and one allowed address', ['fd00::1', '127.0.0.1']],
    ['a public address by plain http', ['8.8.8.8']],
    ['nothing', []],
  ])('refuses a name that resolves to %s, at the connection', async (_, answers) => {
    const { url, resolve } = named(receiver.port, [answers]);
    const endpoint = await records.endpoint(url);
    await records.event(endpoint.accountId);
    await start({ resolve });
    expect(await attempted(endpoint)).toMatchObject({ state: 'pending', attempts: [{ outcome: 'address_refused' }] });
    expect(receiver.received()).toEqual([]);
  });

  it('lets a name pass whose addresses are allowed, and vets it again at the next connection', async () => {
    receiver.respond([{ status: 500, headers: { connection: 'close' } }, 200]);
    const { url, resolve } = named(receiver.port, [['127.0.0.1'], ['169.254.169.254']]);
    const endpoint = await records.endpoint(url);
    await records.event(endpoint.accountId);
    await start({ resolve });
    await attempted(endpoint, 1);
    await records.makeDue(endpoint.id);
    const { attempts } = await attempted(endpoint, 2);
    expect(attempts.map(({ outcome }) => outcome)).toEqual(['server_error', 'address_refused']);
    expect(receiver.received()).toHaveLength(1);
  });

  it.each(['https://10.0.0.1/', 'http://169.254.169.254/', 'http://8.8.8.8/', 'https://[::ffff:10.0.0.1]/'])(
    'refuses %s before any connection',
    async (url) => {
      const endpoint = await records.endpoint(url);
      await records.event(endpoint.accountId);
      await start();
      expect((await attempted(endpoint)).attempts).toMatchObject([{ outcome: 'address_refused' }]);
    },
  );

  it('refuses loopback unless it is allowed', async () => {
    const endpoint = await records.endpoint(receiver.url);
    await records.event(endpoint.accountId);
    await start({ config: { WEBHOOK_ALLOW: AddressAllowList.parse([]) } });
    expect((await attempted(endpoint)).attempts).toMatchObject([{ outcome: 'address_refused' }]);
    expect(receiver.received()).toEqual([]);
  });
});

describe('several senders', () => {
  it('never send one delivery twice (contract 4.5)', async () => {
    receiver.respond(() => ({ status: 200, delayMs: 20 }));
    const endpoints = await Promise.all(Array.from({ length: 4 }, () => records.endpoint(receiver.url)));
    const dispatchers = await Promise.all([start(), start(), start()]);
    for (let round = 0; round < 15; round += 1) {
      await Promise.all(endpoints.map(({ accountId }) => records.event(accountId)));
      for (const dispatcher of dispatchers) dispatcher.wake();
    }
    await eventually(async () => {
      const [row] = await records.run<{ open: number }>(
        `SELECT count(*) AS open FROM deliveries WHERE state <> 'delivered'`,
      );
      return row?.open === 0;
    });
    expect(receiver.received()).toHaveLength(60);
    expect(new Set(receiver.received().map(({ headers }) => headers['pdfonce-delivery-id'])).size).toBe(60);
  }, 20_000);

  it('take over what a dead one held when its lease ends, and count its attempt', async () => {
    const endpoint = await records.endpoint(receiver.url);
    await records.event(endpoint.accountId);
    await new DeliveryQueue(database).claim({ limit: 1, leaseMs: 300, endpointCap: 10 });
    await start();
    const { attempts } = await stateOf(endpoint, 'delivered');
    expect(attempts.map(({ outcome }) => outcome)).toEqual(['unknown', 'delivered']);
  });

  it('change nothing by an answer that comes after another took over', async () => {
    receiver.respond((_, index) => (index === 0 ? { status: 500, delayMs: 800 } : 200));
    const endpoint = await records.endpoint(receiver.url);
    await records.event(endpoint.accountId);
    const zombie = await start();
    await eventually(() => receiver.received().length === 1);
    await records.endLeases(endpoint.id);
    await stateOf(endpoint, 'delivered');
    await eventually(() => zombie.log.find(({ settled }) => settled === 'superseded'));
    expect(await records.delivery(endpoint.id)).toMatchObject({
      state: 'delivered',
      attempts: [{ outcome: 'unknown', status_code: null }, { outcome: 'delivered' }],
    });
  });
});

describe('an endpoint', () => {
  it('that answers 410 is disabled once, its account is told, and the rest is skipped', async () => {
    receiver.respond(({ path }) => (path === '/gone' ? { status: 410, delayMs: 50 } : 200));
    const gone = await records.endpoint(`${receiver.url}gone`);
    const other = await records.endpoint(`${receiver.url}other`, {
      accountId: gone.accountId,
      eventTypes: ['endpoint.*'],
    });
    for (let index = 0; index < 15; index += 1) await records.event(gone.accountId);
    const dispatcher = await start();
    await eventually(
      async () => (await records.deliveries(gone.id)).every(({ state }) => ['exhausted', 'skipped'].includes(state)),
      { withinMs: 8_000 },
    );
    const states = (await records.deliveries(gone.id)).map(({ state }) => state);
    expect(states.filter((state) => state === 'skipped').length).toBeGreaterThan(0);
    await stateOf(other, 'delivered');
    const [told, ...more] = receiver.received(({ path }) => path === '/other');
    expect(more).toEqual([]);
    expect(JSON.parse(told?.body.toString() ?? '')).toMatchObject({
      type: 'endpoint.disabled',
      data: { id: typeId('ep', gone.id), url: `${receiver.url}gone`, state: 'disabled', reason: 'gone' },
    });
    expect(dispatcher.announced.map(({ type, key }) => [type, key])).toEqual([
      ['endpoint.disabled', typeId('ep', gone.id)],
    ]);
    const sent = receiver.received(({ path }) => path === '/gone').length;
    await records.event(gone.accountId);
    expect((await records.deliveries(gone.id)).at(-1)?.state).toBe('skipped');
    expect(receiver.received(({ path }) => path === '/gone')).toHaveLength(sent);
  }, 15_000);

  it('that is deleted has its waiting deliveries cancelled', async () => {
    receiver.respond([500]);
    const endpoint = await records.endpoint(receiver.url);
    await records.event(endpoint.accountId);
    await start();
    await attempted(endpoint);
    await records.run('UPDATE webhook_endpoints SET deleted_at = now()');
    await eventually(async () => (await records.delivery(endpoint.id)).state === 'cancelled', { withinMs: 8_000 });
    expect(receiver.received()).toHaveLength(1);
  }, 12_000);

  it('that hangs delays no other, however much waits for it', async () => {
    receiver.respond(({ path }) => (path === '/slow' ? 'hang' : 200));
    const slow = await records.endpoint(`${receiver.url}slow`);
    for (let index = 0; index < 30; index += 1) await records.event(slow.accountId);
    await start({ config: { POLL_INTERVAL: 50 } });
    await eventually(() => receiver.received().length === 5);
    const quick = await records.endpoint(`${receiver.url}quick`);
    await records.event(quick.accountId);
    await stateOf(quick, 'delivered');
    expect(receiver.received(({ path }) => path === '/slow')).toHaveLength(5);
  });

  it('gets its backlog without waiting for polls', async () => {
    const endpoint = await records.endpoint(receiver.url);
    for (let index = 0; index < 60; index += 1) await records.event(endpoint.accountId);
    await start({ config: { POLL_INTERVAL: 60_000 } });
    await eventually(async () => (await records.deliveries(endpoint.id)).every(({ state }) => state === 'delivered'));
    expect(receiver.received()).toHaveLength(60);
  });
});

describe('a dispatcher', () => {
  it('is woken by the topic of events, not by its poll', async () => {
    const dispatcher = await start({ config: { POLL_INTERVAL: 60_000 } });
    const endpoint = await records.endpoint(receiver.url);
    await eventually(async () => {
      const { id, body } = await records.event(endpoint.accountId);
      const record = {
        id: '1',
        topic: 'pdfonce.events.v1',
        key: 'k',
        eventId: typeId('evt', id),
        type: 'job.completed',
        body,
      };
      dispatcher.bus.announce([{ ...record, occurredAt: new Date().toISOString() }]);
      await eventually(() => receiver.received().length > 0, { withinMs: 1_000 });
      return true;
    });
  });

  it('records what a receiver answered though the connections to Postgres were lost meanwhile', async () => {
    receiver.respond([{ status: 200, delayMs: 300 }]);
    const endpoint = await records.endpoint(receiver.url);
    await records.event(endpoint.accountId);
    await start({ config: { POLL_INTERVAL: 5_000 } });
    await eventually(() => receiver.received().length === 1);
    await postgres.terminateBackends(databaseUrl);
    await eventually(async () => (await records.delivery(endpoint.id).catch(() => null))?.state === 'delivered');
    expect((await records.delivery(endpoint.id)).attempts).toHaveLength(1);
  });

  it('lets open requests end when it is stopped, and claims nothing more', async () => {
    receiver.respond([{ status: 200, delayMs: 500 }]);
    const endpoint = await records.endpoint(receiver.url);
    await records.event(endpoint.accountId);
    const dispatcher = await start({ config: { WEBHOOK_CONCURRENCY: 1 } });
    await eventually(() => receiver.received().length === 1);
    const late = await records.endpoint(receiver.url);
    await records.event(late.accountId);
    await dispatcher.stop();
    expect((await records.delivery(endpoint.id)).state).toBe('delivered');
    expect(await records.delivery(late.id)).toMatchObject({ state: 'pending', attempt: 0 });
  });

  it('cuts off what does not end within its grace, records it, and leaves it due at once', async () => {
    receiver.respond(['hang']);
    const endpoint = await records.endpoint(receiver.url);
    await records.event(endpoint.accountId);
    const dispatcher = await start({ config: { WEBHOOK_TIMEOUT: 60_000, SHUTDOWN_GRACE: 2_000 } });
    await eventually(() => receiver.received().length === 1);
    const stoppingAt = performance.now();
    await dispatcher.stop();
    expect(performance.now() - stoppingAt).toBeLessThan(2_000);
    const delivery = await records.delivery(endpoint.id);
    expect(delivery).toMatchObject({ state: 'pending', attempts: [{ outcome: 'unknown', status_code: null }] });
    expect(delivery.attempts[0]?.duration_ms).toBeGreaterThan(0);
    expect(delivery.wait_ms).toBeLessThanOrEqual(0);
  });

  it('logs one record for each attempt, with ids and without secrets', async () => {
    const url = `http://user:password@127.0.0.1:${receiver.port}/hook?token=hidden`;
    const endpoint = await records.endpoint(url, { headers: { 'X-Key': 'sensitive' } });
    const event = await records.event(endpoint.accountId);
    const dispatcher = await start();
    await stateOf(endpoint, 'delivered');
    const [line, ...more] = dispatcher.log.filter(({ msg }) => msg === 'delivery.attempted');
    expect(more).toEqual([]);
    expect(line).toMatchObject({
      eventId: typeId('evt', event.id),
      endpointId: typeId('ep', endpoint.id),
      url: `http://127.0.0.1:${receiver.port}/hook`,
      attempt: 1,
      outcome: 'delivered',
      statusCode: 200,
      settled: 'settled',
    });
    expect(uuidOf('dlv', String(line?.['deliveryId']))).toBe((await records.delivery(endpoint.id)).id);
    expect(JSON.stringify(dispatcher.log)).not.toMatch(/sensitive|hidden|password|whsec_/);
  });
});

async function listen(server: Server): Promise<string> {
  servers.push(server);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}/`;
}
