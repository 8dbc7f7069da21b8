import { createServer } from 'node:net';
import type { AddressInfo } from 'node:net';
import type { JobView } from '#libs/domain';
import type { ApiClient } from '../support/api-client.js';
import { eventually } from '../support/eventually.js';
import { answering, type Behaviour, HostileReceiver, pouring, trickling } from '../support/hostile-receiver.js';
import { pageWidths, samplePdf } from '../support/pdf-samples.js';
import { WebhookReceiver } from '../support/webhook-receiver.js';
import { Service, startTimeoutMs } from './service.js';

const maxFileBytes = 100_000;
const maxTotalBytes = 150_000;
const inputTimeoutMs = 3_000;

let service: Service;
let client: ApiClient;
let server: WebhookReceiver;
let pdf: Buffer;
const hostile: HostileReceiver[] = [];

beforeAll(async () => {
  const env = {
    INPUT_ALLOW: '127.0.0.1',
    INPUT_TIMEOUT: `${inputTimeoutMs}ms`,
    MAX_FILE_SIZE: `${maxFileBytes}B`,
    MAX_REQUEST_SIZE: `${maxTotalBytes}B`,
    JOB_MAX_ATTEMPTS: '2',
    JOB_LEASE: '2s',
    UPLOAD_TIMEOUT: '1s',
  };
  [service, pdf] = await Promise.all([
    Service.start({ apis: 1, env }),
    samplePdf([100, 101]).then((bytes) => Buffer.from(bytes)),
  ]);
  client = await service.newAccount();
}, startTimeoutMs);

afterAll(() => service?.stop(), 30_000);

beforeEach(async () => {
  server = await WebhookReceiver.open();
  server.respond(() => ({ status: 200, headers: { 'content-type': 'application/pdf; a=b' }, body: pdf }));
});

afterEach(async () => {
  await server.close();
  await Promise.all(hostile.splice(0).map((receiver) => receiver.close()));
});

async function open(behaviour: Behaviour): Promise<string> {
  const receiver = await HostileReceiver.open(behaviour);
  hostile.push(receiver);
  return receiver.url;
}

async function submit(...urls: readonly string[]): Promise<JobView> {
  const inputs = urls.map((url) => ({ url }));
  const answer = await client.post('/v1/jobs', { operation: 'merge', inputs });
  expect(answer.status).toBe(202);
  return answer.json<JobView>();
}

async function ended(...urls: readonly string[]): Promise<JobView> {
  return client.endedJob((await submit(...urls)).id);
}

const nothingKnown = { name: null, media_type: null, size: null, sha256: null };

describe('an input by url', () => {
  it('is fetched by the worker, and the job shows what it turned out to be (contract 2.1)', async () => {
    const accepted = await submit(`${server.url}dir/one.pdf?signature=secret`);
    expect(accepted.inputs).toEqual([nothingKnown]);
    const job = await client.endedJob(accepted.id);
    expect(job).toMatchObject({ state: 'completed', attempt: 1 });
    expect(job.inputs).toMatchObject([{ name: 'one.pdf', media_type: 'application/pdf', size: pdf.length }]);
    expect(job.inputs[0]?.sha256).toMatch(/^[0-9a-f]{64}$/);
    const output = await client.get(`/v1/jobs/${job.id}/outputs/0`);
    expect(await pageWidths(output.body)).toEqual([100, 101]);
    expect(server.received().map(({ method, path }) => `${method} ${path}`)).toEqual([
      'GET /dir/one.pdf?signature=secret',
    ]);
    const { headers } = server.received()[0] ?? {};
    expect(headers).toMatchObject({ 'accept-encoding': 'identity' });
    for (const name of ['cookie', 'authorization', 'referer']) expect(headers).not.toHaveProperty(name);
  }, 30_000);

  it('stands beside inputs of other kinds, in the order of the request, in multipart and in batches', async () => {
    const inputs = [{ url: `${server.url}a.pdf` }, { part: 0 }, { url: `${server.url}b.pdf` }];
    const uploaded = await client.submitFiles([{ name: 'up.pdf', bytes: pdf }], { inputs });
    const item = { client_item_id: 'a', operation: 'merge', inputs: [{ url: `${server.url}c.pdf` }] };
    const batch = await client.post('/v1/batches', { items: [item] });
    expect([uploaded.status, batch.status]).toEqual([202, 202]);
    const job = await client.endedJob(uploaded.json<JobView>().id);
    expect(job.inputs.map(({ name }) => name)).toEqual(['a.pdf', 'up.pdf', 'b.pdf']);
    expect(job.state).toBe('completed');
    const batchId = batch.json<{ id: string }>().id;
    await eventually(async () => {
      const [only] = await client.list<JobView>(`/v1/batches/${batchId}/jobs`);
      return only?.state === 'completed' && only.inputs[0]?.name === 'c.pdf';
    });
  }, 30_000);

  it('is part of the request: another url under the same key is another request', async () => {
    const ask = (path: string) =>
      client.post('/v1/jobs', { operation: 'merge', inputs: [{ url: server.url + path }] }, { key: 'url-key' });
    const first = await ask('one.pdf');
    const again = await ask('one.pdf');
    expect(again.headers.get('idempotent-replayed')).toBe('true');
    expect(again.json<JobView>().id).toBe(first.json<JobView>().id);
    expect((await ask('two.pdf')).json<{ code: string }>().code).toBe('idempotency_key_reused');
    await client.endedJob(first.json<JobView>().id);
    expect(server.received()).toHaveLength(1);
  }, 30_000);

  it('is followed through up to five redirects, and keeps the name that was asked for', async () => {
    server.respond(({ path }) => {
      const left = Number(/^\/(\d)/.exec(path)?.[1] ?? 0);
      return left === 0 ? { status: 200, body: pdf } : { status: 302, headers: { location: `/${left - 1}/hop` } };
    });
    const job = await ended(`${server.url}5/one.pdf`);
    expect(job).toMatchObject({ state: 'completed', inputs: [{ name: 'one.pdf' }] });
    expect(await ended(`${server.url}6/one.pdf`)).toMatchObject({
      attempt: 1,
      error: { code: 'input_unavailable', retryable: false, input: 0 },
    });
  }, 30_000);

  it.each([
    ['http://169.254.169.254/latest/meta-data/', 'hands out credentials'],
    ['https://[::ffff:169.254.169.254]/', 'hands out credentials'],
    ['http://[::1]:8080/', 'loopback'],
    ['http://10.0.0.1/', 'private'],
    ['http://8.8.8.8/', 'http is only for hosts'],
    ['file:///etc/passwd', 'must begin with https'],
  ])(
    'is refused when it redirects to %s, and nothing is sent there (contract 4.9)',
    async (location, sentence) => {
      server.respond(() => ({ status: 302, headers: { location } }));
      const job = await ended(`${server.url}one.pdf`);
      expect(job).toMatchObject({
        state: 'failed',
        attempt: 1,
        error: { code: 'input_refused_address', retryable: false, input: 0 },
      });
      expect(job.error?.message).toContain('a redirect from its url');
      expect(job.error?.message).toContain(sentence);
      expect(server.received()).toHaveLength(1);
    },
    30_000,
  );

  it.each([404, 401, 410, 204, 206])(
    'that its server answers with %d fails its job at once',
    async (status) => {
      server.respond([status]);
      const job = await ended(`${server.url}one.pdf`);
      expect(job).toMatchObject({ attempt: 1, error: { code: 'input_unavailable', retryable: false, input: 0 } });
      expect(job.error?.message).toContain(`answers ${status}`);
      expect(server.received()).toHaveLength(1);
    },
    30_000,
  );

  it.each([500, 503, 429])(
    'that its server answers with %d is asked for again (contract 2.5)',
    async (status) => {
      server.respond([status, { status: 200, body: pdf }]);
      expect(await ended(`${server.url}one.pdf`)).toMatchObject({ state: 'completed', attempt: 2 });
    },
    30_000,
  );

  it('that cannot be reached in any attempt fails its job with what is wrong', async () => {
    const closed = createServer();
    await new Promise<void>((resolve) => closed.listen(0, '127.0.0.1', resolve));
    const { port } = closed.address() as AddressInfo;
    await new Promise((resolve) => closed.close(resolve));
    const unreachable = {
      state: 'failed',
      attempt: 2,
      error: { code: 'input_unreachable', retryable: true, input: 0 },
    };
    const jobs = await Promise.all([
      ended(`http://127.0.0.1:${port}/`),
      ended(server.url.replace('http:', 'https:')),
      ended(await open({ onConnection: (socket) => void socket.resetAndDestroy() })),
      ended(await open(answering('hello\r\n\r\n'))),
    ]);
    for (const job of jobs) expect(job).toMatchObject(unreachable);
    expect(jobs.map((job) => job.error?.message.split(': ')[1])).toEqual([
      'it refuses the connection.',
      'its certificate or its TLS is not valid.',
      'it lost the connection.',
      'what it answers is no HTTP.',
    ]);
  }, 60_000);

  it.each<[string, Behaviour]>([
    ['is never answered', {}],
    ['comes a byte a second', trickling('HTTP/1.1 200 OK\r\ncontent-length: 100\r\n\r\n', '%'.repeat(100), 1_000)],
  ])(
    'that %s is given up after INPUT_TIMEOUT',
    async (_, behaviour) => {
      const job = await client.endedJob((await submit(await open(behaviour))).id, 25_000);
      expect(job).toMatchObject({ attempt: 2, error: { code: 'input_timeout', retryable: true, input: 0 } });
    },
    40_000,
  );

  it('that is cut off before its end is asked for again', async () => {
    server.respond([
      { status: 200, headers: { 'content-length': '100000' }, body: pdf },
      { status: 200, body: pdf },
    ]);
    const job = await ended(`${server.url}one.pdf`);
    expect(job).toMatchObject({ state: 'completed', attempt: 2, inputs: [{ size: pdf.length }] });
  }, 30_000);

  it('that is too large fails its job at once, whatever it announces (contract 2.1)', async () => {
    const limit = { name: 'MAX_FILE_SIZE', allowed: 100_000, actual: null };
    const tooLarge = { attempt: 1, error: { code: 'input_too_large', retryable: false, input: 0, limit } };
    const chunk = `1000\r\n${'a'.repeat(4_096)}\r\n`;
    expect(
      await ended(await open(pouring('HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n', chunk))),
    ).toMatchObject(tooLarge);
    expect(await ended(await open(answering('HTTP/1.1 200 OK\r\ncontent-length: 100001\r\n\r\n')))).toMatchObject(
      tooLarge,
    );
    server.respond(() => ({ status: 200, body: Buffer.alloc(80_000, 'a') }));
    const together = await ended(`${server.url}a`, `${server.url}b`);
    expect(together).toMatchObject({ error: { code: 'input_too_large', limit: { name: 'MAX_REQUEST_SIZE' } } });
    expect(together.error?.message).toContain('MAX_REQUEST_SIZE');
  }, 30_000);

  it('that is encoded, or no PDF, fails its job at once', async () => {
    server.respond(() => ({ status: 200, headers: { 'content-encoding': 'gzip' }, body: pdf }));
    expect(await ended(`${server.url}a`)).toMatchObject({ attempt: 1, error: { code: 'input_unavailable' } });
    server.respond(() => ({ status: 200, body: '<html>not found</html>' }));
    expect(await ended(`${server.url}a`)).toMatchObject({ attempt: 1, error: { code: 'not_a_pdf', input: 0 } });
  }, 30_000);

  it('is not fetched further once its job is cancelled (contract 2.12)', async () => {
    const receiver = await HostileReceiver.open(
      trickling('HTTP/1.1 200 OK\r\ncontent-length: 100\r\n\r\n', '%'.repeat(100), 100),
    );
    hostile.push(receiver);
    const { id } = await submit(receiver.url);
    await eventually(() => receiver.requests.length === 1);
    expect((await client.post(`/v1/jobs/${id}/cancel`, undefined)).status).toBe(200);
    await eventually(() => receiver.openConnections === 0, { withinMs: 2_000 });
  }, 30_000);

  it('that another attempt has fetched is not fetched again, and nothing of it is kept in the end (contract 2.2)', async () => {
    const slow = { status: 500, delayMs: 500 } as const;
    server.respond(({ path }, index) => (path === '/good.pdf' || index > 1 ? { status: 200, body: pdf } : slow));
    const job = await ended(`${server.url}good.pdf`, `${server.url}flaky.pdf`);
    expect(job).toMatchObject({ state: 'completed', attempt: 2 });
    expect(
      server
        .received()
        .map(({ path }) => path)
        .sort(),
    ).toEqual(['/flaky.pdf', '/flaky.pdf', '/good.pdf']);
    await eventually(
      async () => {
        const rows = await service.cluster.query<{ kept: string }>(
          `SELECT count(*) AS kept FROM objects WHERE purpose = 'input'`,
        );
        return Number(rows[0]?.kept) === 0;
      },
      { withinMs: 20_000, describe: 'the objects of inputs are collected' },
    );
    const urls = await service.cluster.query(`SELECT FROM job_inputs WHERE url IS NOT NULL`);
    expect(urls).toEqual([]);
  }, 40_000);
});
