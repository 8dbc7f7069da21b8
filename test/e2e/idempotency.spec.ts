import type { JobView } from '#libs/domain';
import type { ApiAnswer, ApiClient } from '../support/api-client.js';
import { eventually } from '../support/eventually.js';
import { likeness } from '../support/likeness.js';
import { samplePdf, widthsFrom } from '../support/pdf-samples.js';
import { readRaw, sendRaw } from './raw-request.js';
import { Service, startTimeoutMs } from './service.js';

describe('an idempotency key', () => {
  const rule = (title: string, check: () => Promise<void>) => it(title, check, 30_000);
  let service: Service;
  let client: ApiClient;
  let a: Uint8Array;

  beforeAll(async () => {
    [service, a] = await Promise.all([Service.start(), samplePdf(widthsFrom(100, 2))]);
  }, startTimeoutMs);

  afterAll(() => service?.stop(), 30_000);

  beforeEach(async () => {
    client = await service.newAccount();
  });

  const files = (name = 'a.pdf') => [{ name, bytes: a }];

  rule(
    'gets the first answer byte for byte from every process, whatever its job has come to (contract 1.6)',
    async () => {
      const first = await client.submitFiles(files(), { key: 'k', metadata: { order: '42' } });
      expect(first.status).toBe(202);
      expect(first.headers.get('idempotent-replayed')).toBeNull();
      await client.endedJob(first.json<JobView>().id);
      for (const api of service.everywhere(client)) {
        const replay = await api.submitFiles(files(), { key: 'k', metadata: { order: '42' } });
        expect(replay.headers.get('idempotent-replayed')).toBe('true');
        expect(likeness(replay)).toEqual(likeness(first));
      }
      expect(await client.list('/v1/jobs')).toHaveLength(1);
    },
  );

  rule('is the same with white space around it and in quotes (contract 1.3)', async () => {
    const first = await client.submitFiles(files(), { key: 'order-42' });
    for (const key of ['  order-42 ', '"order-42"']) {
      expect(likeness(await client.submitFiles(files(), { key }))).toEqual(likeness(first));
    }
    expect(first.json<JobView>().idempotency_key).toBe('order-42');
    for (const key of ['order-42', ' order-42', '"order-42"']) {
      const found = await client.get(`/v1/jobs?idempotency_key=${encodeURIComponent(key)}`);
      expect(found.json<{ data: JobView[] }>().data.map(({ id }) => id)).toEqual([first.json<JobView>().id]);
    }
  });

  rule('does not care for Accept, the order of JSON names and their spacing (contract 1.5)', async () => {
    const { id } = (await client.uploadFile({ name: 'a.pdf', bytes: a })).json<{ id: string }>();
    const inputs = [{ file_id: id }];
    const first = await client.submit({ operation: 'merge', inputs, metadata: { x: '1', y: '2' } }, { key: 'k' });
    const body = `{ "metadata": {"y":"2", "x":"\\u0031"},\n "inputs": [{"file_id":"${id}"}], "operation": "merge" }`;
    const headers = { 'content-type': 'application/json', 'idempotency-key': 'k', accept: 'text/html' };
    const again = await client.send('POST', '/v1/jobs', { headers, body });
    expect(again.headers.get('idempotent-replayed')).toBe('true');
    expect(likeness(again)).toEqual(likeness(first));
  });

  rule(
    'does not care for the boundary, Prefer, the case of part headers and the spelling of JSON in parts (contract 1.5)',
    async () => {
      const { id } = (await client.uploadFile({ name: 'a.pdf', bytes: a })).json<{ id: string }>();
      const submit = (boundary: string, disposition: string, fields: Readonly<Record<string, string>>) => {
        const parts = Object.entries({ operation: 'split', ...fields }).map(
          ([name, text]) => `--${boundary}\r\n${disposition}: form-data; name="${name}"\r\n\r\n${text}\r\n`,
        );
        const type = `multipart/form-data; boundary=${boundary}`;
        const headers = { 'content-type': type, 'idempotency-key': 'k', prefer: `respond-async; x="${boundary}"` };
        return client.send('POST', '/v1/jobs', { headers, body: `${parts.join('')}--${boundary}--\r\n` });
      };
      const first = await submit('one', 'Content-Disposition', {
        options: '{"by":"ranges","ranges":["1"]}',
        metadata: '{"x":"1","y":"2"}',
        inputs: `[{"file_id":"${id}"}]`,
      });
      expect(first.status).toBe(202);
      const again = await submit('another', 'content-disposition', {
        options: '{ "ranges": [ "1" ], "by": "ranges" }',
        metadata: '{"y":"2",\n "x":"\\u0031"}',
        inputs: ` [ {"file_id" : "${id}"} ] `,
      });
      expect(again.headers.get('idempotent-replayed')).toBe('true');
      expect(likeness(again)).toEqual(likeness(first));
    },
  );

  rule('sent twice is refused, the same text twice too (contract 1.3)', async () => {
    for (const second of ['k', 'other']) {
      const headers = [
        ['authorization', `Bearer ${client.apiKey}`],
        ['content-type', 'application/json'],
        ['content-length', '2'],
        ['idempotency-key', 'k'],
        ['Idempotency-Key', second],
      ] as const;
      const { status, json } = await readRaw(await sendRaw(client.url, { path: '/v1/jobs', headers, body: '{}' }));
      expect(`${status} ${String(json['code'])}`).toBe('400 idempotency_key_invalid');
    }
  });

  rule(
    'is refused for another body with 409 that tells nothing of the first, even when that body is invalid (contract 1.7)',
    async () => {
      const first = (await client.submitFiles(files(), { key: 'k' })).json<JobView>();
      const others: readonly Promise<ApiAnswer>[] = [
        client.submitFiles(files('b.pdf'), { key: 'k' }),
        client.submitFiles(files(), { key: 'k', metadata: { order: '43' } }),
        client.submitFiles(files(), { key: 'k', operation: 'shred' }),
        client.submitFiles([], { key: 'k' }),
        client.submit({ operation: 'merge', inputs: [{ file_id: 'file_gone' }] }, { key: 'k' }),
        client.submit({ operation: 'merge', inputs: [{ url: 'https://example.com/a.pdf' }] }, { key: 'k' }),
        client.post('/v1/jobs', { nonsense: true }, { key: 'k' }),
        ...['application/json', 'multipart/form-data', 'multipart/form-data; boundary=b'].map((type) =>
          client.send('POST', '/v1/jobs', { headers: { 'content-type': type, 'idempotency-key': 'k' }, body: '{"' }),
        ),
      ];
      for (const answer of await Promise.all(others)) {
        expect(`${answer.status} ${codeOf(answer)}`).toBe('409 idempotency_key_reused');
        expect(answer.headers.get('retry-after')).toBeNull();
        expect(answer.headers.get('location')).toBeNull();
        expect(answer.body.includes(first.id)).toBe(false);
      }
      expect(await client.list('/v1/jobs')).toHaveLength(1);
    },
  );

  rule('stays free after a refused request, and then makes one job (contract 1.9)', async () => {
    const unknownFile = { operation: 'merge', inputs: [{ file_id: 'file_01h455vb4pex5vsknk084sn02q' }] };
    const refusals = [
      await client.submitFiles(files(), { key: 'k', operation: 'shred' }),
      await client.submitFiles([{ name: 'empty.pdf', bytes: Buffer.alloc(0) }], { key: 'k' }),
      await client.submit(unknownFile, { key: 'k' }),
      await client.submit({ operation: 'merge', inputs: [] }, { key: 'k' }),
    ];
    expect(refusals.map(({ status }) => status)).toEqual([400, 400, 422, 400]);
    const accepted = await client.submitFiles(files(), { key: 'k' });
    expect(accepted.status).toBe(202);
    expect(accepted.headers.get('idempotent-replayed')).toBeNull();
  });

  rule('keeps naming its job when that job has failed (contract 1.9)', async () => {
    const letter = [{ name: 'a.pdf', bytes: Buffer.from('a letter') }];
    const first = await client.submitFiles(letter, { key: 'k' });
    expect((await client.endedJob(first.json<JobView>().id)).state).toBe('failed');
    expect(likeness(await client.submitFiles(letter, { key: 'k' }))).toEqual(likeness(first));
  });

  rule('works on uploads and endpoints, whose secret a replay shows again (contract 1.1, 1.6)', async () => {
    const upload = await client.uploadFile({ name: 'a.pdf', bytes: a }, { key: 'k' });
    expect(likeness(await client.uploadFile({ name: 'a.pdf', bytes: a }, { key: 'k' }))).toEqual(likeness(upload));
    const other = await client.uploadFile({ name: 'b.pdf', bytes: a }, { key: 'k' });
    expect(`${other.status} ${codeOf(other)}`).toBe('409 idempotency_key_reused');

    const endpoint = { url: service.receiver.url };
    const created = await client.createEndpoint(endpoint, { key: 'k' });
    const [, elsewhere] = service.everywhere(client);
    const replay = await elsewhere?.createEndpoint(endpoint, { key: 'k' });
    expect(replay === undefined ? undefined : likeness(replay)).toEqual(likeness(created));
    expect(replay?.json()['secret']).toMatch(/^whsec_/);
    expect(await client.list('/v1/webhook-endpoints')).toHaveLength(1);
    const rows = await service.cluster.query<{ body: Buffer }>(
      `SELECT body FROM idempotency_keys WHERE route = 'POST /v1/webhook-endpoints'`,
    );
    expect(rows.some(({ body }) => body.includes('whsec_'))).toBe(false);
  });

  rule('of one account means nothing to another, and neither do ids (contract 1.1, 7.3)', async () => {
    await client.createEndpoint({ url: service.receiver.url });
    const upload = (await client.uploadFile({ name: 'a.pdf', bytes: a })).json<{ id: string }>();
    const job = await client.endedJob((await client.submitFiles(files(), { key: 'k' })).json<JobView>().id);
    const [event] = await client.list<{ id: string }>('/v1/events');
    const [delivery] = await client.list<{ id: string }>('/v1/deliveries');
    const [endpoint] = await client.list<{ id: string }>('/v1/webhook-endpoints');

    const stranger = await service.newAccount();
    const own = await stranger.submitFiles(files('other.pdf'), { key: 'k' });
    expect(own.status).toBe(202);
    expect(own.headers.get('idempotent-replayed')).toBeNull();
    expect(own.json<JobView>().id).not.toBe(job.id);
    const paths = [
      `/v1/jobs/${job.id}`,
      `/v1/jobs/${job.id}/outputs/0`,
      `/v1/files/${upload.id}`,
      `/v1/events/${event?.id}`,
      `/v1/deliveries/${delivery?.id}`,
      `/v1/webhook-endpoints/${endpoint?.id}`,
    ];
    for (const path of paths) {
      expect((await client.get(path)).status).toBe(200);
      expect((await stranger.get(path)).status).toBe(404);
    }
    expect((await stranger.delete(`/v1/webhook-endpoints/${endpoint?.id}`)).status).toBe(404);
    const inputs = [[{ file_id: upload.id }], [{ job_id: job.id, output: 0 }]];
    for (const each of inputs) {
      const answer = await stranger.submit({ operation: 'merge', inputs: each });
      expect(`${answer.status} ${codeOf(answer)}`).toBe('422 input_not_found');
    }
    expect(await stranger.list('/v1/jobs')).toHaveLength(1);
    expect(await stranger.list('/v1/deliveries')).toEqual([]);
  });

  rule('is no use with a revoked API key: 401 and nothing of the stored answer, at once (contract 1.10)', async () => {
    const first = (await client.submitFiles(files(), { key: 'k' })).json<JobView>();
    await service.cluster.query(
      'UPDATE api_keys SET revoked_at = now() WHERE account_id = (SELECT account_id FROM jobs WHERE idempotency_key = $1 ORDER BY created_at DESC LIMIT 1)',
      ['k'],
    );
    for (const api of service.everywhere(client)) {
      const replay = await api.submitFiles(files(), { key: 'k' });
      expect(`${replay.status} ${codeOf(replay)}`).toBe('401 unauthenticated');
      expect(replay.headers.get('location')).toBeNull();
      expect(replay.body.includes(first.id)).toBe(false);
    }
    await eventually(async () => (await client.get('/v1/jobs')).status === 401, { withinMs: 2_000 });
  });

  rule('is refused when it is no key, before the body is read (contract 1.3)', async () => {
    for (const key of ['', '   ', 'x'.repeat(256), '<b>', '"unclosed']) {
      const answer = await client.submitFiles(files(), { key });
      expect(`${answer.status} ${codeOf(answer)}`).toBe('400 idempotency_key_invalid');
    }
    const inBody = await client.post('/v1/jobs', { operation: 'merge', inputs: [], idempotency_key: 'k' });
    expect(inBody.json<{ detail: string }>().detail).toContain('Idempotency-Key header');
    expect(await client.list('/v1/jobs')).toEqual([]);
  });

  rule('goes with a key that the command line made, within the scopes it was given (contract 7.1)', async () => {
    const [apiKey = ''] = (
      await service.cluster.command('keys', 'create', '--account', 'shell', '--scopes', 'jobs:read')
    )
      .trim()
      .split('\n');
    const shell = service.client(apiKey);
    expect(await shell.list('/v1/jobs')).toEqual([]);
    const answer = await shell.submitFiles(files(), { key: 'k' });
    expect(`${answer.status} ${codeOf(answer)}`).toBe('403 scope_missing');
  });
});

describe('an expired idempotency key', () => {
  let service: Service;
  let client: ApiClient;
  let inputs: readonly object[];

  beforeAll(async () => {
    service = await Service.start({ env: { IDEMPOTENCY_TTL: '1s' } });
    client = await service.newAccount();
    const bytes = await samplePdf(widthsFrom(100, 1));
    inputs = [{ file_id: (await client.uploadFile({ name: 'a.pdf', bytes })).json<{ id: string }>().id }];
  }, startTimeoutMs);

  afterAll(() => service?.stop(), 30_000);

  it('makes a new job, exactly one even when fifty requests come at once (contract 1.11)', async () => {
    const submit = (api: ApiClient) => api.submit({ operation: 'merge', inputs }, { key: 'k' });
    const first = await submit(client);
    const { id } = first.json<JobView>();
    expect(likeness(await submit(client))).toEqual(likeness(first));
    await client.endedJob(id);
    await eventually(hasExpired, { withinMs: 10_000, everyMs: 100, describe: 'the expiry of the key' });
    // The new job cannot end, so its key cannot expire meanwhile.
    service.cluster.process('worker-1').kill('SIGSTOP');
    const apis = service.everywhere(client);
    const answers = await Promise.all(Array.from({ length: 50 }, (_, index) => submit(apis[index % 2] ?? client)));
    service.cluster.process('worker-1').kill('SIGCONT');

    expect(answers.map(({ status }) => status)).toEqual(new Array(50).fill(202));
    expect(answers.filter(({ headers }) => headers.get('idempotent-replayed') === null)).toHaveLength(1);
    const ids = new Set(answers.map((answer) => answer.json<JobView>().id));
    expect(ids.size).toBe(1);
    expect(ids).not.toContain(id);
    expect(await client.list('/v1/jobs', { idempotency_key: 'k' })).toHaveLength(2);
  }, 40_000);

  /** True also when it was purged. */
  async function hasExpired(): Promise<boolean> {
    const [row] = await service.cluster.query<{ live: string }>(
      'SELECT count(*) AS live FROM idempotency_keys WHERE expires_at IS NULL OR expires_at > now()',
    );
    return row?.live === '0';
  }
});

function codeOf(answer: ApiAnswer): string {
  return answer.json<{ code: string }>().code;
}
