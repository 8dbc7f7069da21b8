import { type Route, routes, type Scope, scopes } from '#libs/contract';
import type { JobView } from '#libs/domain';
import type { ApiAnswer, ApiClient } from '../support/api-client.js';
import { eventually } from '../support/eventually.js';
import { samplePdf } from '../support/pdf-samples.js';
import { Service, startTimeoutMs } from './service.js';

interface ApiKey {
  readonly id: string;
  readonly name: string;
  readonly scopes: readonly Scope[];
  readonly last_used_at: string | null;
  readonly revoked_at: string | null;
  readonly secret?: string;
}

/** A revocation counts everywhere after so long. */
const revokedWithinMs = 2_000;

describe('access to the API', () => {
  const rule = (title: string, check: () => Promise<void>) => it(title, check, 30_000);
  let service: Service;
  let client: ApiClient;
  let bytes: Uint8Array;

  beforeAll(async () => {
    [service, bytes] = await Promise.all([Service.start(), samplePdf([100])]);
  }, startTimeoutMs);

  afterAll(() => service?.stop(), 30_000);

  beforeEach(async () => {
    client = await service.newAccount();
  });

  const file = () => ({ name: 'a.pdf', bytes });

  async function newKey(given: Partial<Pick<ApiKey, 'name' | 'scopes'>> = {}, key?: string) {
    const body = { name: 'key', scopes, ...given };
    const answer = await client.post('/v1/api-keys', body, key === undefined ? {} : { key });
    expect(answer.status).toBe(201);
    const { secret = '', ...shown } = answer.json<ApiKey>();
    return { answer, secret, shown, at: (api = 0) => service.client(secret, api) };
  }

  rule(
    'is given by keys that show their secret once, at creation and to its repetitions (contract 7.1, 1.1)',
    async () => {
      const first = await newKey({ name: 'reports', scopes: ['jobs:read'] }, 'k');
      expect(first.secret).toMatch(/^pdfonce_[\w-]{43}$/);
      expect(first.answer.headers.get('location')).toBeNull();
      expect(first.shown).toMatchObject({
        name: 'reports',
        scopes: ['jobs:read'],
        last_used_at: null,
        revoked_at: null,
      });
      for (const api of service.everywhere(client)) {
        const replay = await api.post('/v1/api-keys', { scopes: ['jobs:read'], name: 'reports' }, { key: 'k' });
        expect(replay.headers.get('idempotent-replayed')).toBe('true');
        expect(replay.body).toEqual(first.answer.body);
        expect((await api.post('/v1/api-keys', { name: 'other', scopes }, { key: 'k' })).status).toBe(409);
      }
      const listed = await client.list<ApiKey>('/v1/api-keys');
      expect(listed).toContainEqual(first.shown);
      expect(listed).toHaveLength(2);
      expect(JSON.stringify(listed)).not.toContain('pdfonce_');
    },
  );

  rule('is given once to 20 requests with one idempotency key at two processes (contract 1.4, 7.1)', async () => {
    const apis = service.everywhere(client);
    const body = { name: 'raced', scopes: ['jobs:read'] };
    const answers = await Promise.all(
      Array.from({ length: 20 }, (_, index) =>
        (apis[index % apis.length] ?? client).post('/v1/api-keys', body, { key: 'raced' }),
      ),
    );
    expect(new Set(answers.map(({ status, body: bytes }) => `${status} ${bytes.toString('utf8')}`)).size).toBe(1);
    expect(answers.filter(({ headers }) => headers.get('idempotent-replayed') === null)).toHaveLength(1);
    const [{ secret = '' } = {}] = answers.map((answer) => answer.json<ApiKey>());
    expect((await service.client(secret, 1).get('/v1/jobs')).status).toBe(200);
    expect((await client.list<ApiKey>('/v1/api-keys')).filter(({ name }) => name === 'raced')).toHaveLength(1);
  });

  rule('leaves no secret in the database that could be read (contract 7.1, 1.6)', async () => {
    const { secret } = await newKey({}, 'k');
    const rows = await service.cluster.query<{ text: string }>(
      `SELECT api_keys::text AS text FROM api_keys
       UNION ALL SELECT convert_from(body, 'UTF8') || key FROM idempotency_keys`,
    );
    expect(rows.length).toBeGreaterThan(2);
    expect(rows.filter(({ text }) => text.includes(secret))).toEqual([]);
  });

  rule('is as wide as the scopes of the key, which admin alone hands out (contract 7.1)', async () => {
    const requests: Readonly<Record<Exclude<Scope, 'admin'>, (api: ApiClient) => Promise<ApiAnswer>>> = {
      'jobs:read': (api) => api.get('/v1/jobs'),
      'jobs:write': (api) => api.uploadFile(file()),
      'webhooks:manage': (api) => api.get('/v1/webhook-endpoints'),
    };
    for (const scope of ['jobs:read', 'jobs:write', 'webhooks:manage'] as const) {
      const { at, shown } = await newKey({ scopes: [scope] });
      for (const [needed, send] of Object.entries(requests))
        expect(`${needed} ${(await send(at())).status < 400}`).toBe(`${needed} ${needed === scope}`);
      const refused = [
        await at().get('/v1/api-keys'),
        await at().post('/v1/api-keys', { name: 'more', scopes: [scope] }),
        await at().delete(`/v1/api-keys/${shown.id}`),
      ];
      expect(refused.map(outcomeOf)).toEqual(new Array(3).fill('403 scope_missing'));
    }
    expect((await (await newKey({ scopes: ['admin'] })).at().get('/v1/jobs')).status).toBe(200);
  });

  rule('is not given with scopes or names that are none', async () => {
    const cases: readonly (readonly [object, string])[] = [
      [{ scopes }, '/name'],
      [{ name: '', scopes }, '/name'],
      [{ name: 'x'.repeat(101), scopes }, '/name'],
      [{ name: 'key' }, '/scopes'],
      [{ name: 'key', scopes: [] }, '/scopes'],
      [{ name: 'key', scopes: ['jobs:read', 'jobs:read'] }, '/scopes'],
      [{ name: 'key', scopes: ['everything'] }, '/scopes/0'],
      [{ name: 'key', scopes, secret: 'mine' }, '/secret'],
    ];
    for (const [body, pointer] of cases) {
      const answer = await client.post('/v1/api-keys', body, { key: 'same' });
      expect(outcomeOf(answer)).toBe('400 invalid_request');
      expect(answer.json<{ errors: object[] }>().errors).toContainEqual(expect.objectContaining({ pointer }));
    }
    expect((await client.post('/v1/api-keys', { name: 'key', scopes }, { key: 'same' })).status).toBe(201);
  });

  rule('is listed newest first, page by page, revoked keys too', async () => {
    const made = [await newKey(), await newKey(), await newKey()].map(({ shown }) => shown.id).reverse();
    await client.delete(`/v1/api-keys/${made[1]}`);
    const first = (await client.get('/v1/api-keys?limit=2')).json<{ data: ApiKey[]; next_cursor: string }>();
    expect(first.data.map(({ id }) => id)).toEqual(made.slice(0, 2));
    expect(first.data.map(({ revoked_at }) => revoked_at === null)).toEqual([true, false]);
    const rest = await client.list<ApiKey>('/v1/api-keys', { cursor: first.next_cursor });
    expect(rest.map(({ id }) => id)).toEqual([made[2], expect.stringMatching(/^key_/)]);
    expect(outcomeOf(await client.get('/v1/api-keys?cursor=nonsense'))).toBe('400 invalid_request');
  });

  rule('ends everywhere within 2 s of the revocation, and for new work at once (contract 7.2, 1.10)', async () => {
    const { at, shown } = await newKey();
    const submit = (api: number, key: string) => at(api).submitFiles([file()], { key });
    const accepted = await submit(1, 'before');
    // Both processes remember the key now.
    for (const api of [0, 1]) expect((await at(api).get('/v1/jobs')).status).toBe(200);
    expect((await client.delete(`/v1/api-keys/${shown.id}`)).status).toBe(204);
    const revokedAt = Date.now();
    const headers = { 'content-type': 'application/json', 'idempotency-key': 'before' };
    const refused = [
      ...[await submit(1, 'after'), await submit(1, 'before'), await submit(0, 'before')],
      await at(1).send('POST', '/v1/jobs', { headers, body: '{"' }),
    ];
    expect(refused.map(outcomeOf)).toEqual(new Array(4).fill('401 unauthenticated'));
    for (const answer of refused) expect(answer.body.includes(accepted.json<JobView>().id)).toBe(false);
    const left = () => revokedWithinMs - (Date.now() - revokedAt);
    for (const api of [0, 1])
      await eventually(async () => (await at(api).get('/v1/jobs')).status === 401, { withinMs: left() });
    expect(await client.list('/v1/jobs')).toHaveLength(1);
  });

  rule(
    'makes no more keys with a revoked one, not even at once and without an idempotency key (contract 7.2)',
    async () => {
      const { at, shown } = await newKey();
      expect((await at(1).get('/v1/api-keys')).status).toBe(200);
      await client.delete(`/v1/api-keys/${shown.id}`);
      expect(outcomeOf(await at(1).post('/v1/api-keys', { name: 'late', scopes }))).toBe('401 unauthenticated');
      expect(await client.list('/v1/api-keys')).toHaveLength(2);
    },
  );

  rule('is re-checked before a request that waits is answered (contract 7.2)', async () => {
    const worker = service.cluster.process('worker-1');
    const { at, shown } = await newKey();
    worker.kill('SIGSTOP');
    try {
      const waiting = at(1).submitFiles([file()], { key: 'k', wait: 4 });
      await eventually(async () => (await client.list('/v1/jobs')).length === 1);
      await client.delete(`/v1/api-keys/${shown.id}`);
      const answer = await waiting;
      expect(outcomeOf(answer)).toBe('401 unauthenticated');
    } finally {
      worker.kill('SIGCONT');
    }
  });

  rule('can be revoked again and again, and stays revoked since the first time', async () => {
    const { shown } = await newKey();
    const revoke = () => client.delete(`/v1/api-keys/${shown.id}`);
    const revokedAt = async () =>
      (await client.list<ApiKey>('/v1/api-keys')).find(({ id }) => id === shown.id)?.revoked_at;
    expect((await revoke()).status).toBe(204);
    const first = await revokedAt();
    expect((await revoke()).status).toBe(204);
    expect(await revokedAt()).toBe(first);
    const stranger = await service.newAccount();
    const answers = [await stranger.delete(`/v1/api-keys/${shown.id}`), await client.delete('/v1/api-keys/nonsense')];
    expect(answers.map(outcomeOf)).toEqual(['404 not_found', '404 not_found']);
  });

  rule('is shared by all keys of an account: jobs, files and idempotency keys (contract 7.3)', async () => {
    const { at } = await newKey();
    const upload = (await client.uploadFile(file())).json<{ id: string }>();
    const request = { operation: 'merge', inputs: [{ file_id: upload.id }] };
    const accepted = await client.submit(request, { key: 'k' });
    const replay = await at(1).submit(request, { key: 'k' });
    expect(replay.headers.get('idempotent-replayed')).toBe('true');
    expect(replay.body).toEqual(accepted.body);
    expect((await at(1).job(accepted.json<JobView>().id)).id).toBe(accepted.json<JobView>().id);
  });

  rule('is noted on the key, at most once a minute', async () => {
    const { at, shown } = await newKey();
    const lastUsedAt = async () =>
      (await client.list<ApiKey>('/v1/api-keys')).find(({ id }) => id === shown.id)?.last_used_at ?? null;
    expect(await lastUsedAt()).toBeNull();
    await at(0).get('/v1/jobs');
    const used = await lastUsedAt();
    expect(Date.now() - Date.parse(used ?? '')).toBeLessThan(60_000);
    await at(1).get('/v1/jobs');
    expect(await lastUsedAt()).toBe(used);
  });

  rule('to what belongs to another account is 404, on every route with an id in its path (contract 7.3)', async () => {
    const ids = await ownedIds();
    const stranger = await service.newAccount();
    const declared = Object.values<Route>(routes).filter(({ path }) => path.includes('/:'));
    const paths = declared.map(({ method, path }) => ({ method, path, filled: filledPath(path, ids) }));
    expect(paths.length).toBeGreaterThan(10);
    for (const { method, path, filled } of paths)
      expect(`${method} ${path} ${outcomeOf(await stranger.send(method, filled))}`).toBe(
        `${method} ${path} 404 not_found`,
      );
    // Nothing came of it: to its own account each id still means what it did, deletions last.
    const rank = ['GET', 'POST', 'PATCH', 'DELETE'];
    for (const { method, path, filled } of paths.sort((a, b) => rank.indexOf(a.method) - rank.indexOf(b.method)))
      expect(`${method} ${path} ${(await client.send(method, filled)).status === 404}`).toBe(`${method} ${path} false`);
  });

  /** Something of the account for every kind of id that a path has. */
  async function ownedIds(): Promise<Readonly<Record<string, string>>> {
    const idOf = (answer: ApiAnswer) => answer.json<{ id: string }>().id;
    const endpoint = idOf(await client.createEndpoint({ url: service.receiver.url, event_types: ['job.completed'] }));
    const since = '2026-01-01T00:00:00Z';
    const recovery = idOf(await client.post(`/v1/webhook-endpoints/${endpoint}/recover`, { since }));
    const upload = idOf(await client.uploadFile(file()));
    const inputs = [{ file_id: upload }];
    const items = [{ client_item_id: 'a', operation: 'merge', inputs }];
    const batch = idOf(await client.post('/v1/batches', { items }));
    const job = await client.endedJob(idOf(await client.submit({ operation: 'merge', inputs })));
    const [event] = await client.list<{ id: string }>('/v1/events');
    const [delivery] = await client.list<{ id: string }>('/v1/deliveries');
    return {
      ...{ job_id: job.id, index: '0', file_id: upload, batch_id: batch, endpoint_id: endpoint },
      recovery_id: recovery,
      ...{ event_id: event?.id ?? '', delivery_id: delivery?.id ?? '', key_id: (await newKey()).shown.id },
    };
  }
});

describe('a file that is deleted', () => {
  const rule = (title: string, check: () => Promise<void>) => it(title, check, 30_000);
  let service: Service;
  let client: ApiClient;
  let bytes: Uint8Array;

  beforeAll(async () => {
    [service, bytes] = await Promise.all([Service.start({ apis: 1, dispatchers: 0 }), samplePdf([100])]);
    client = await service.newAccount();
  }, startTimeoutMs);

  afterAll(() => service?.stop(), 30_000);

  rule('is gone for reading and for use, and its job and key are not (contract 2.3, 1.7)', async () => {
    const worker = service.cluster.process('worker-1');
    const { id } = (await client.uploadFile({ name: 'a.pdf', bytes }, { key: 'upload' })).json<{ id: string }>();
    const request = { operation: 'merge', inputs: [{ file_id: id }] };
    worker.kill('SIGSTOP');
    const accepted = await client.submit(request, { key: 'k' });
    const deleted = await client.delete(`/v1/files/${id}`);
    worker.kill('SIGCONT');
    expect([deleted.status, deleted.body.length]).toEqual([204, 0]);
    expect(outcomeOf(await client.get(`/v1/files/${id}`))).toBe('404 not_found');
    expect(outcomeOf(await client.delete(`/v1/files/${id}`))).toBe('404 not_found');
    expect(outcomeOf(await client.submit(request))).toBe('422 input_not_found');
    expect(outcomeOf(await client.submit(request, { key: 'another' }))).toBe('422 input_not_found');
    const replay = await client.submit(request, { key: 'k' });
    expect(replay.body).toEqual(accepted.body);
    const other = { ...request, metadata: { order: '42' } };
    expect(outcomeOf(await client.submit(other, { key: 'k' }))).toBe('409 idempotency_key_reused');
    expect((await client.uploadFile({ name: 'a.pdf', bytes }, { key: 'upload' })).json()).toMatchObject({ id });
    expect(await client.endedJob(accepted.json<JobView>().id)).toMatchObject({ state: 'completed' });
  });
});

function filledPath(path: string, ids: Readonly<Record<string, string>>): string {
  return path.replace(/:(\w+)/g, (_, name: string) => ids[name] ?? `no-${name}`);
}

function outcomeOf(answer: ApiAnswer): string {
  return `${answer.status}${answer.status < 400 ? '' : ` ${answer.json<{ code: string }>().code}`}`;
}
