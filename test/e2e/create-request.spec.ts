import { randomBytes } from 'node:crypto';
import type { JobView } from '#libs/domain';
import type { ApiAnswer, ApiClient } from '../support/api-client.js';
import { readyLine } from '../support/cluster.js';
import { eventually } from '../support/eventually.js';
import { samplePdf } from '../support/pdf-samples.js';
import { Service, startTimeoutMs } from './service.js';

describe('a create request', () => {
  const rule = (title: string, check: () => Promise<void>) => it(title, check, 30_000);
  let service: Service;
  let client: ApiClient;
  let bytes: Uint8Array;

  beforeAll(async () => {
    [service, bytes] = await Promise.all([Service.start({ apis: 1, dispatchers: 0 }), samplePdf([100])]);
    client = await service.newAccount();
  }, startTimeoutMs);

  afterAll(() => service?.stop(), 30_000);

  const files = () => [{ name: 'a.pdf', bytes }];

  rule('without an idempotency key is a new one each time (contract 1.2)', async () => {
    const answers = [await client.submitFiles(files()), await client.submitFiles(files())];
    const ids = answers.map((answer) => answer.json<JobView>().id);
    expect(new Set(ids).size).toBe(2);
    expect(answers.map((answer) => answer.headers.get('idempotent-replayed'))).toEqual([null, null]);
    expect(answers[0]?.json<JobView>().idempotency_key).toBeNull();
  });

  rule('has metadata that comes back as it was sent, in the job, the list and the event (contract 2.9)', async () => {
    const metadata = { order: '42', '<b>"ü\\': 'a\nb', empty: '' };
    const accepted = (await client.submitFiles(files(), { metadata })).json<JobView>();
    expect(accepted.metadata).toEqual(metadata);
    expect((await client.endedJob(accepted.id)).metadata).toEqual(metadata);
    const [job] = await client.list<JobView>('/v1/jobs');
    expect(job?.metadata).toEqual(metadata);
    const events = await client.list<{ data: JobView }>('/v1/events');
    expect(events.find(({ data }) => data.id === accepted.id)?.data.metadata).toEqual(metadata);
  });

  rule('has metadata within its bounds, or is refused (contract 2.9)', async () => {
    const pairs = (count: number, value = 'v') =>
      Object.fromEntries(Array.from({ length: count }, (_, index) => [`name-${index}`, value]));
    const most = [pairs(20), { ['n'.repeat(40)]: 'v'.repeat(500) }];
    for (const metadata of most) expect((await client.submitFiles(files(), { metadata })).status).toBe(202);
    const tooMuch = [
      pairs(21),
      { ['n'.repeat(41)]: 'v' },
      { name: 'v'.repeat(501) },
      pairs(9, 'v'.repeat(500)),
      { '': 'v' },
      { name: 1 },
      { name: null },
      ['v'],
    ];
    for (const metadata of tooMuch) {
      const answer = await client.submitFiles(files(), { metadata });
      expect(`${JSON.stringify(metadata).slice(0, 40)} ${outcomeOf(answer)}`).toMatch(/ 400 invalid_request$/);
      expect(answer.json<{ detail: string }>().detail).toMatch(/^\/metadata/);
    }
  });

  rule('may be sent by a page of another origin, which can read what its client needs (contract 1.15)', async () => {
    const origin = 'https://shop.example';
    const asked = await fetch(`${client.url}/v1/jobs`, {
      method: 'OPTIONS',
      headers: {
        origin,
        'access-control-request-method': 'POST',
        'access-control-request-headers': 'authorization, idempotency-key, prefer, content-type',
      },
    });
    expect(asked.status).toBe(204);
    expect(asked.headers.get('access-control-allow-methods')).toContain('POST');
    expect(asked.headers.get('access-control-allow-headers')).toContain('idempotency-key');
    const answer = await client.get('/v1/jobs', { origin });
    expect([origin, '*']).toContain(answer.headers.get('access-control-allow-origin'));
    const exposed = (answer.headers.get('access-control-expose-headers') ?? '').toLowerCase().split(/, */);
    const needed = ['Idempotent-Replayed', 'Location', 'Retry-After', 'Preference-Applied'];
    const limits = ['RateLimit', 'RateLimit-Policy', 'RateLimit-Limit', 'RateLimit-Remaining', 'RateLimit-Reset'];
    expect(exposed).toEqual(expect.arrayContaining([...needed, ...limits].map((name) => name.toLowerCase())));
  });
});

describe('an API process with other settings', () => {
  const rule = (title: string, check: () => Promise<void>) => it(title, check, 60_000);
  let service: Service;
  let client: ApiClient;

  beforeAll(async () => {
    service = await Service.start({ apis: 1, workers: 0, dispatchers: 0 });
    client = await service.newAccount();
  }, startTimeoutMs);

  afterAll(() => service?.stop({ mayFail: true }), 30_000);

  async function startAgain(env: Readonly<Record<string, string>>): Promise<void> {
    const api = service.cluster.process('api-1');
    api.kill('SIGKILL');
    await api.exited;
    api.restart(env);
    await api.waitForLog(({ fields, pid }) => pid === api.pid && fields?.['msg'] === readyLine, { withinMs: 30_000 });
  }

  rule('that requires keys refuses every POST without one, and nothing else (contract 1.2)', async () => {
    await startAgain({ REQUIRE_IDEMPOTENCY_KEY: 'true' });
    const body = { name: 'key', scopes: ['jobs:read'] };
    const refused = [
      await client.post('/v1/api-keys', body),
      await client.post('/v1/jobs', {}),
      await client.createEndpoint({ url: service.receiver.url }),
      await client.uploadFile({ name: 'a.pdf', bytes: new Uint8Array(1) }),
    ];
    expect(refused.map(outcomeOf)).toEqual(new Array(4).fill('400 idempotency_key_required'));
    expect((await client.post('/v1/api-keys', body, { key: 'k' })).status).toBe(201);
    expect((await client.get('/v1/jobs')).status).toBe(200);
  });

  rule('that cannot open a stored secret answers 503 and makes no new one (contract 1.6)', async () => {
    const create = () =>
      fetch(`${client.url}/v1/webhook-endpoints`, {
        method: 'POST',
        headers: {
          authorization: `Bearer ${client.apiKey}`,
          'idempotency-key': 'k',
          'content-type': 'application/json',
        },
        body: JSON.stringify({ url: service.receiver.url }),
      });
    const first = await create();
    expect(first.status).toBe(201);
    const { id, secret } = (await first.json()) as { id: string; secret: string };
    const ownKey = service.cluster.process('api-1').spec.env?.['SECRET_KEY'] ?? '';
    await startAgain({ SECRET_KEY: `k2:${randomBytes(32).toString('base64')}` });
    const refused = await create();
    expect(refused.status).toBe(503);
    expect(refused.headers.get('retry-after')).toBe('1');
    expect(await refused.json()).toMatchObject({
      code: 'unavailable',
      detail: expect.stringContaining('encrypted with a key that this process does not have'),
    });
    await eventually(() => service.apiFailures().some((line) => line.includes('request.failed')));
    const rows = await service.cluster.query('SELECT FROM webhook_endpoints');
    expect(rows).toHaveLength(1);
    await startAgain({ SECRET_KEY: ownKey });
    const replay = await create();
    expect(replay.headers.get('idempotent-replayed')).toBe('true');
    expect(await replay.json()).toMatchObject({ id, secret });
  });
});

function outcomeOf(answer: ApiAnswer): string {
  return `${answer.status}${answer.status < 400 ? '' : ` ${answer.json<{ code: string }>().code}`}`;
}
