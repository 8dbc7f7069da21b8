import { request } from 'node:http';
import type { ApiAnswer, ApiClient } from '../support/api-client.js';
import { eventually } from '../support/eventually.js';
import { samplePdf } from '../support/pdf-samples.js';
import { admissionsThatWait, holdAllKeys } from './held-keys.js';
import { Service, startTimeoutMs } from './service.js';

const policy = /^"default";q=\d+;w=\d+$/;
const state = /^"default";r=(\d+);t=(\d+)$/;

describe('the rate limit (contract 1.13)', () => {
  const rule = (title: string, check: () => Promise<void>) => it(title, check, 30_000);
  let service: Service;
  let accounts = 0;

  beforeAll(async () => {
    service = await Service.start({ workers: 0, dispatchers: 0, env: { RATE_LIMIT: '5/1h' } });
  }, startTimeoutMs);

  afterAll(() => service?.stop({ mayFail: true }), 30_000);

  /** A client of a new account, with a limit of its own if one is given. */
  async function clientWith(rate: string | null = null): Promise<ApiClient> {
    accounts += 1;
    const account = `limited-${accounts}`;
    const apiKey = await service.cluster.createKey(account);
    if (rate !== null)
      await service.cluster.query('UPDATE accounts SET rate_limit = $2 WHERE name = $1', [account, rate]);
    return service.client(apiKey);
  }

  const create = (client: ApiClient, key?: string, description = '') =>
    client.createEndpoint({ url: service.receiver.url, description }, key === undefined ? {} : { key });

  async function remaining(client: ApiClient): Promise<number> {
    const [row] = await service.cluster.query<{ points: number }>(
      `SELECT points FROM rate_limits
       WHERE starts_with(key, (SELECT account_id::text FROM api_keys WHERE secret_sha256 = sha256(convert_to($1, 'UTF8'))))`,
      [client.apiKey],
    );
    return 5 - (row?.points ?? 0);
  }

  rule('lets two processes together accept as many new requests as the limit, and no more', async () => {
    const apis = service.everywhere(await clientWith());
    const answers = await Promise.all(
      Array.from({ length: 20 }, (_, index) => create(apis[index % 2] as ApiClient, `k${index}`)),
    );
    expect(answers.filter(({ status }) => status === 201)).toHaveLength(5);
    for (const answer of answers.filter(({ status }) => status !== 201)) {
      expect(`${answer.status} ${codeOf(answer)}`).toBe('429 rate_limited');
      const [, left, resetSeconds] = state.exec(answer.headers.get('ratelimit') ?? '') ?? [];
      expect(left).toBe('0');
      expect(Number(answer.headers.get('retry-after'))).toBeGreaterThanOrEqual(Number(resetSeconds));
      expect(Number(resetSeconds)).toBeGreaterThan(3_000);
    }
    expect(await apis[0]?.list('/v1/webhook-endpoints')).toHaveLength(5);
  });

  rule('is told in every answer that it concerns, in both families of fields, and in no other', async () => {
    const client = await clientWith('3/3600s');
    const fresh = await create(client, 'k');
    const refused = await client.createEndpoint({ url: 'nonsense' });
    const conflict = await create(client, 'k', 'other');
    const replay = await create(client, 'k');
    await create(client, 'other');
    const limited = await create(client, 'third');
    const answers = [fresh, refused, conflict, replay, limited];
    expect(answers.map(({ status }) => status)).toEqual([201, 400, 409, 201, 429]);
    expect(answers.map(remainingIn)).toEqual([2, 1, 1, 1, 0]);
    for (const { headers } of answers) {
      expect(headers.get('ratelimit-policy')).toMatch(policy);
      expect(headers.get('ratelimit-limit')).toBe('3');
      const [, left, resetSeconds] = state.exec(headers.get('ratelimit') ?? '') ?? [];
      expect([headers.get('ratelimit-remaining'), headers.get('ratelimit-reset')]).toEqual([left, resetSeconds]);
      expect(headers.get('access-control-expose-headers')).toContain('RateLimit-Policy');
    }
    for (const { headers, status } of [await client.get('/v1/webhook-endpoints'), await client.delete('/v1/files/x')]) {
      expect(status).not.toBe(429);
      expect(headers.get('ratelimit')).toBeNull();
    }
  });

  rule('answers a known key over budget, as a replay or a conflict, and charges neither', async () => {
    const client = await clientWith();
    const first = await create(client, 'known');
    for (let index = 0; index < 4; index += 1) await create(client);
    expect((await create(client, 'new')).status).toBe(429);
    for (const api of service.everywhere(client)) {
      const replay = await create(api, 'known');
      expect(replay.status).toBe(201);
      expect(replay.headers.get('idempotent-replayed')).toBe('true');
      expect(replay.body).toEqual(first.body);
      const conflict = await create(api, 'known', 'another');
      expect(`${conflict.status} ${codeOf(conflict)}`).toBe('409 idempotency_key_reused');
    }
    const spacious = await clientWith();
    await create(spacious, 'known');
    for (let index = 0; index < 10; index += 1) await create(spacious, 'known');
    expect(await remaining(spacious)).toBe(4);
  });

  rule('keeps the charge of a refused request, and leaves its key free', async () => {
    const client = await clientWith();
    expect((await client.createEndpoint({ url: 'nonsense' }, { key: 'k' })).status).toBe(400);
    expect(await remaining(client)).toBe(4);
    expect((await create(client, 'k')).status).toBe(201);
    expect(await remaining(client)).toBe(3);
  });

  rule('gives a request that lost its race the unit back', async () => {
    const client = await clientWith();
    const apis = service.everywhere(client);
    const held = await holdAllKeys(service);
    const answers = Promise.all(Array.from({ length: 20 }, (_, index) => create(apis[index % 2] as ApiClient, 'k')));
    try {
      await eventually(async () => (await admissionsThatWait(service)) === 2, { withinMs: 1_500 });
      expect(await remaining(client)).toBe(3);
    } finally {
      await held.release();
    }
    const settled = await answers;
    expect(settled.map(({ status }) => status)).toEqual(new Array(20).fill(201));
    expect(settled.filter(({ headers }) => headers.get('idempotent-replayed') === null)).toHaveLength(1);
    await eventually(async () => (await remaining(client)) === 4, { withinMs: 2_000 });
  });

  rule('counts a batch as one', async () => {
    const client = await clientWith();
    const upload = await client.uploadFile({ name: 'a.pdf', bytes: await samplePdf([100]) });
    const inputs = [{ file_id: upload.json<{ id: string }>().id }];
    const items = ['a', 'b', 'c', 'd', 'e', 'f', 'g'].map((id) => ({
      ...{ client_item_id: id, operation: 'merge', inputs },
    }));
    expect((await client.post('/v1/batches', { items }, { key: 'k' })).status).toBe(202);
    expect(await remaining(client)).toBe(3);
  });

  rule(
    'never stores a 429: the same key makes its work once there is budget again, not before Retry-After',
    async () => {
      const client = await clientWith('1/4s');
      expect((await create(client)).status).toBe(201);
      const limited = await create(client, 'k');
      expect(limited.status).toBe(429);
      const refusedAt = performance.now();
      const accepted = await eventually(
        async () => {
          const answer = await create(client, 'k');
          return answer.status === 201 ? answer : undefined;
        },
        { withinMs: 10_000, everyMs: 50 },
      );
      expect(accepted?.headers.get('idempotent-replayed')).toBeNull();
      expect(performance.now() - refusedAt).toBeLessThanOrEqual(
        Number(limited.headers.get('retry-after')) * 1_000 + 500,
      );
    },
  );

  rule('refuses a request without a key before it reads its body', async () => {
    const client = await clientWith('1/3600s');
    await create(client);
    const status = await new Promise<number>((resolve, reject) => {
      const headers = { authorization: `Bearer ${client.apiKey}`, 'content-length': '1000000' };
      const sent = request(new URL('/v1/files', client.url), {
        method: 'POST',
        headers: { ...headers, 'content-type': 'multipart/form-data; boundary=b' },
      });
      sent.on('error', reject);
      sent.on('response', (response) => {
        resolve(response.statusCode ?? 0);
        sent.destroy();
      });
      sent.flushHeaders();
    });
    expect(status).toBe(429);
  });

  rule('is set for an account by command, and lifted', async () => {
    const client = await clientWith('off');
    const answers = await Promise.all(Array.from({ length: 8 }, () => create(client)));
    expect(answers.map(({ status }) => status)).toEqual(new Array(8).fill(201));
    expect(answers.some(({ headers }) => headers.has('ratelimit-policy'))).toBe(false);
    const limit = (...words: string[]) => service.cluster.command('keys', 'limit', ...words);
    await limit('--account', `limited-${accounts}`, '--rate', '7/1h');
    await eventually(async () => (await create(client)).headers.get('ratelimit-limit') === '7', { withinMs: 3_000 });
    expect(await limit('--account', `limited-${accounts}`, '--rate', 'default')).toContain('RATE_LIMIT');
    await expect(limit('--account', 'nobody', '--rate', '1/1s')).rejects.toThrow('there is no account nobody');
    await expect(limit('--account', 'nobody', '--rate', '1 a second')).rejects.toThrow('--rate must be off, or');
  });

  rule('refuses what it cannot count, and answers replays all the same (contract 1.12)', async () => {
    const client = await clientWith();
    await create(client, 'known');
    const plain = new (client.constructor as typeof ApiClient)(client.url, client.apiKey);
    await service.cluster.query('ALTER TABLE rate_limits RENAME TO rate_limits_away');
    try {
      const refused = await create(plain, 'k');
      expect(`${refused.status} ${codeOf(refused)}`).toBe('503 unavailable');
      expect(refused.headers.get('retry-after')).toBe('1');
      expect((await create(client, 'known')).headers.get('idempotent-replayed')).toBe('true');
    } finally {
      await service.cluster.query('ALTER TABLE rate_limits_away RENAME TO rate_limits');
    }
    expect((await create(client, 'k')).headers.get('idempotent-replayed')).toBeNull();
    expect(await client.list('/v1/webhook-endpoints')).toHaveLength(2);
  });
});

function codeOf(answer: ApiAnswer): string {
  return answer.json<{ code: string }>().code;
}

function remainingIn({ headers }: ApiAnswer): number {
  return Number(headers.get('ratelimit-remaining'));
}
