import { randomBytes } from 'node:crypto';
import { SecretKeyring } from '#libs/domain';
import { Database, migrate } from '#libs/persistence';
import { eventually } from '../support/eventually.js';
import {
  answering,
  answeringOnce,
  type Behaviour,
  closingKept,
  HostileReceiver,
  late,
  pouring,
  reset,
  trickling,
} from '../support/hostile-receiver.js';
import { startTestPostgres, type TestPostgres } from '../support/postgres.js';
import { WebhookReceiver } from '../support/webhook-receiver.js';
import { type RunningDispatcher, startDispatcher } from './running-dispatcher.js';
import { type DeliveryRecord, type TestEndpoint, WebhookRecords } from './webhook-records.js';

const keyring = SecretKeyring.parse(`k1:${Buffer.alloc(32, 1).toString('base64')}`, randomBytes);
const timeoutMs = 1_000;
const mebibyte = 1024 * 1024;

let postgres: TestPostgres;
let database: Database;
let databaseUrl: string;
let records: WebhookRecords;
let dispatcher: RunningDispatcher;
const receivers: HostileReceiver[] = [];

beforeAll(async () => {
  postgres = await startTestPostgres();
  databaseUrl = await postgres.createDatabase();
  await migrate(databaseUrl);
  database = new Database({ url: databaseUrl, purpose: 'work', poolSize: 4, onConnectionLost: () => undefined });
  records = new WebhookRecords(database, keyring);
  dispatcher = await startDispatcher({
    databaseUrl,
    keyring,
    config: { WEBHOOK_TIMEOUT: timeoutMs, WEBHOOK_CONCURRENCY: 100 },
  });
}, 60_000);

afterAll(async () => {
  await dispatcher.stop();
  await database.close();
  await postgres.stop();
}, 60_000);

afterEach(async () => {
  await Promise.all(receivers.splice(0).map((receiver) => receiver.close()));
  await records.run('TRUNCATE deliveries, delivery_attempts, webhook_endpoints, endpoint_secrets, events CASCADE');
});

async function open(behaviour: Behaviour): Promise<HostileReceiver> {
  const receiver = await HostileReceiver.open(behaviour);
  receivers.push(receiver);
  return receiver;
}

async function deliverTo(url: string): Promise<TestEndpoint> {
  const endpoint = await records.endpoint(url);
  await records.event(endpoint.accountId);
  dispatcher.wake();
  return endpoint;
}

async function attempted(endpoint: TestEndpoint, number = 1): Promise<DeliveryRecord> {
  return eventually(
    async () => {
      const delivery = await records.delivery(endpoint.id);
      return delivery.attempts[number - 1]?.duration_ms == null ? undefined : delivery;
    },
    { withinMs: 15_000, describe: `attempt ${number} has ended` },
  ) as Promise<DeliveryRecord>;
}

const line = 'HTTP/1.1 200 OK\r\n';
const head = `${line}content-length: 2\r\n`;
const ok = `${head}\r\nok`;
const chunked = `${line}transfer-encoding: chunked\r\n\r\n`;
const chunk = `4000\r\n${'a'.repeat(0x4000)}\r\n`;
const noise = Buffer.from([0, 255, 254, 13, 10, 128, 7]).toString('latin1');
const http2Settings = '\u0000\u0000\u0000\u0004\u0000\u0000\u0000\u0000\u0000';
const metadata = 'http://169.254.169.254/latest/meta-data/';

type Case = readonly [does: string, behaviour: Behaviour, outcome: string, status: number | null];

const cases: readonly Case[] = [
  ['hangs before its answer', {}, 'timeout', null],
  ['hangs in the middle of its status line', answering('HTTP/1.1 20'), 'timeout', null],
  ['hangs in the middle of its headers', answering(`${line}x-a: b\r\nx-c`), 'timeout', null],
  ['hangs in the middle of its body', answering(`${head}\r\no`), 'delivered', 200],
  ['hangs in the middle of its body of an error', answering(ok.replace('200 OK', '500 No')), 'server_error', 500],
  ['sends a body without an end', pouring(chunked, chunk), 'delivered', 200],
  ['sends an error without an end', pouring(chunked.replace('200 OK', '503 No'), chunk), 'server_error', 503],
  ['sends 10 GB', pouring(`${line}content-length: 10000000000\r\n\r\n`, 'a'.repeat(0x4000)), 'delivered', 200],
  ['sends 10,000 headers', answering(`${line}${'x-a: b\r\n'.repeat(10_000)}\r\n`), 'invalid_response', null],
  ['sends a header without an end', pouring(`${line}x-a: `, 'a'.repeat(0x4000)), 'invalid_response', null],
  ['sends headers without an end', pouring(line, 'x-a: b\r\n'.repeat(500)), 'invalid_response', null],
  ['answers what is no HTTP', answering('hello\r\n\r\n'), 'invalid_response', null],
  ['answers with noise', answering(noise), 'invalid_response', null],
  ['answers with the beginning of HTTP/2', answering(http2Settings), 'invalid_response', null],
  ['asks for HTTP/2 itself', answering('PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n'), 'invalid_response', null],
  [
    'speaks before it is asked',
    { onConnection: (socket) => void socket.write('220 ready\r\n') },
    'invalid_response',
    null,
  ],
  ['resets as soon as it is connected', { onConnection: reset }, 'connection_reset', null],
  ['resets after the request', { onRequest: reset }, 'connection_reset', null],
  ['ends the connection without a byte', answeringOnce(''), 'connection_reset', null],
  ['ends the connection within its headers', answeringOnce(`${line}x-a`), 'connection_reset', null],
  [
    'resets within its body',
    { onRequest: (socket) => void socket.write(`${head}\r\no`, () => setTimeout(() => reset(socket), 100)) },
    'delivered',
    200,
  ],
  ['sends a byte a second', trickling('', ok, 1_000), 'timeout', null],
  [
    'sends its body a byte a second',
    trickling(`${line}content-length: 100\r\n\r\n`, 'a'.repeat(100), 1_000),
    'delivered',
    200,
  ],
  ['sends early hints and then its answer', answering(`HTTP/1.1 103 Early Hints\r\n\r\n${ok}`), 'delivered', 200],
  ['sends early hints without an end', pouring('', 'HTTP/1.1 103 Early Hints\r\n\r\n'), 'invalid_response', null],
  ['sends 100 Continue without an end', pouring('', 'HTTP/1.1 100 Continue\r\n\r\n'), 'invalid_response', null],
  [
    'switches protocols',
    answering('HTTP/1.1 101 Yes\r\nupgrade: websocket\r\nconnection: upgrade\r\n\r\n'),
    'invalid_response',
    null,
  ],
  [
    'redirects to metadata',
    answering(`HTTP/1.1 302 Go\r\nlocation: ${metadata}\r\ncontent-length: 0\r\n\r\n`),
    'redirected',
    302,
  ],
  ['answers with 399', answering('HTTP/1.1 399 No\r\ncontent-length: 0\r\n\r\n'), 'redirected', 399],
  ['answers with 999', answering('HTTP/1.1 999 No\r\ncontent-length: 0\r\n\r\n'), 'server_error', 999],
  ['answers after the time-out', late(ok, timeoutMs + 300), 'timeout', null],
  ['answers before it has read the body', { onHead: (socket) => void socket.end(ok) }, 'delivered', 200],
  ['sends less than it announced', answeringOnce(`${line}content-length: 100\r\n\r\nshort`), 'delivered', 200],
  ['sends more than it announced', answering(`${ok}${'a'.repeat(50)}`), 'delivered', 200],
  [
    'announces two lengths',
    answering(`${line}content-length: 2\r\ncontent-length: 3\r\n\r\nokk`),
    'invalid_response',
    null,
  ],
  ['sends chunks that are none', answering(`${chunked}zz\r\nnonsense\r\n`), 'delivered', 200],
  ['sends a chunk without an end', answering(`${chunked}ffffffff\r\na`), 'delivered', 200],
  ['sends a null byte and broken UTF-8', answering(`${line}content-length: 7\r\n\r\n${noise}`), 'delivered', 200],
];

describe('a receiver that', () => {
  it.each(cases)('%s costs one recorded attempt of its kind (contract 4.3)', async (_, behaviour, outcome, status) => {
    const receiver = await open(behaviour);
    const endpoint = await deliverTo(receiver.url);
    const { attempts } = await attempted(endpoint);
    expect(attempts).toMatchObject([{ number: 1, outcome, status_code: status }]);
    expect(attempts[0]?.duration_ms).toBeLessThan(timeoutMs + 1_000);
    expect(Buffer.byteLength(attempts[0]?.response_body ?? '')).toBeLessThanOrEqual(16 * 1024);
    await eventually(() => receiver.openConnections <= 1, { describe: 'its connections are given up' });
    expect(receiver.requests.length).toBeLessThanOrEqual(1);
    expect(receiver.connections).toBe(1);
  });

  it.each([
    ['resets', reset],
    ['ends', (socket: Parameters<typeof reset>[0]) => void socket.end()],
  ])(
    '%s a kept connection instead of an answer costs that attempt, and gets no second request by itself',
    async (_, cut) => {
      const receiver = await open(closingKept(1, cut));
      const endpoint = await deliverTo(receiver.url);
      await attempted(endpoint);
      const { id } = await records.event(endpoint.accountId);
      dispatcher.wake();
      const second = await eventually(async () => {
        const delivery = (await records.deliveries(endpoint.id)).find(({ event_id: event }) => event === id);
        return delivery?.attempts[0]?.duration_ms == null ? undefined : delivery;
      });
      expect(second).toMatchObject({
        state: 'pending',
        attempts: [{ outcome: 'connection_reset', status_code: null }],
      });
      expect(receiver.requests).toHaveLength(2);
    },
  );

  it('closes a kept connection while nothing is sent is connected to anew', async () => {
    const receiver = await open({
      onRequest: (socket) => void socket.write(ok, () => setTimeout(() => socket.end(), 50)),
    });
    const endpoint = await deliverTo(receiver.url);
    await attempted(endpoint);
    await eventually(() => receiver.openConnections === 0);
    await records.event(endpoint.accountId);
    dispatcher.wake();
    await eventually(async () => (await records.deliveries(endpoint.id)).every(({ state }) => state === 'delivered'));
    expect(receiver.connections).toBe(2);
  });

  it.each([
    ['120', 120],
    [' 120 ', 120],
    ['86400', 86_400],
    ['99999999999', 86_400],
    ['-1', 5],
    ['1.5', 5],
    ['1e9', 5],
    ['soon', 5],
    ['', 5],
    ['0x10', 5],
    ['Fri, 31 Feb 2026 25:61:00', 5],
    ['Mon, 01 Jan 2001 00:00:00 GMT', 5],
    ['120\r\nretry-after: 240', 120],
  ])('asks by Retry-After %p is left alone for %p s or a little more', async (header, leastS) => {
    const answer = `HTTP/1.1 503 No\r\nretry-after: ${header}\r\ncontent-length: 0\r\n\r\n`;
    const endpoint = await deliverTo((await open(answering(answer))).url);
    const { wait_ms: waitMs, attempts } = await attempted(endpoint);
    expect(attempts).toMatchObject([{ outcome: 'server_error', status_code: 503 }]);
    expect(waitMs).toBeGreaterThan((leastS - 2) * 1_000);
    expect(waitMs).toBeLessThan(leastS * 1_100 + 3_000);
  });
});

describe('hostile receivers, all at once,', () => {
  it('keep no delivery to another receiver waiting', async () => {
    const healthy = await WebhookReceiver.open();
    try {
      const hostile = await Promise.all(cases.map(([, behaviour]) => open(behaviour)));
      for (const { url } of hostile) await deliverTo(url);
      const endpoint = await records.endpoint(healthy.url);
      const startedAt = performance.now();
      for (let index = 0; index < 10; index += 1) {
        await records.event(endpoint.accountId);
        dispatcher.wake();
        await eventually(() => healthy.received().length === index + 1, { withinMs: 2_000 });
      }
      expect(performance.now() - startedAt).toBeLessThan(3_000);
    } finally {
      await healthy.close();
    }
  });

  it('take no memory: of endless answers little is read and less is kept', async () => {
    let written = 0;
    const endless = pouring(chunked, chunk);
    const counted: Behaviour = {
      ...endless,
      onConnection: (socket) => void socket.on('close', () => (written += socket.bytesWritten)),
    };
    const receiver = await open(counted);
    const before = process.memoryUsage().rss;
    const rounds = 50;
    for (let round = 0; round < rounds; round += 1) await attempted(await deliverTo(receiver.url));
    await eventually(() => receiver.openConnections === 0);
    expect(written / rounds).toBeLessThan(16 * mebibyte);
    expect(process.memoryUsage().rss - before).toBeLessThan(100 * mebibyte);
  }, 60_000);
});
