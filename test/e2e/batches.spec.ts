import type { batchView, JobView } from '#libs/domain';
import type { ApiAnswer, ApiClient, CreateOptions } from '../support/api-client.js';
import { eventually } from '../support/eventually.js';
import { pageWidths, samplePdf, widthsFrom } from '../support/pdf-samples.js';
import { Service, startTimeoutMs } from './service.js';

type BatchView = ReturnType<typeof batchView>;

interface BatchEvent {
  readonly id: string;
  readonly type: string;
  readonly data: BatchView & {
    readonly errors: readonly { client_item_id: string; code: string }[];
    errors_total: number;
  };
}

interface Problem {
  readonly code: string;
  readonly detail: string;
  readonly errors?: readonly { readonly pointer: string }[];
}

const noJobs = { queued: 0, processing: 0, completed: 0, failed: 0, cancelled: 0 };

describe('a batch', () => {
  const rule = (title: string, check: () => Promise<void>) => it(title, check, 60_000);
  let service: Service;
  let client: ApiClient;
  let fileId: string;
  let letterId: string;

  beforeAll(async () => {
    service = await Service.start();
  }, startTimeoutMs);

  afterAll(() => service?.stop(), 30_000);

  beforeEach(async () => {
    client = await service.newAccount();
    [fileId, letterId] = await Promise.all([
      upload(await samplePdf(widthsFrom(100, 2))),
      upload(Buffer.from('Dear reader, this is a letter and no document.')),
    ]);
  });

  async function upload(bytes: Uint8Array): Promise<string> {
    return (await client.uploadFile({ name: 'a.pdf', bytes })).json<{ id: string }>().id;
  }

  function item(name: string, parts: object = {}) {
    return { client_item_id: name, operation: 'merge', inputs: [{ file_id: fileId }], ...parts };
  }

  function submit(items: readonly object[], options: CreateOptions = {}): Promise<ApiAnswer> {
    return client.post('/v1/batches', { items }, options);
  }

  async function read(id: string): Promise<BatchView> {
    return (await client.get(`/v1/batches/${id}`)).json<BatchView>();
  }

  async function ended(id: string, withinMs = 20_000): Promise<BatchView> {
    const check = async () => {
      const batch = await read(id);
      return batch.state === 'completed' ? batch : undefined;
    };
    return eventually(check, { withinMs, everyMs: 50, describe: `the end of ${id}` }) as Promise<BatchView>;
  }

  function jobsOf(id: string, query: Readonly<Record<string, string>> = {}): Promise<JobView[]> {
    return client.list<JobView>(`/v1/batches/${id}/jobs`, query);
  }

  async function eventsOf(id: string): Promise<BatchEvent[]> {
    const events = await client.list<BatchEvent>('/v1/events');
    return events.filter(({ type, data }) => type === 'batch.completed' && data.id === id);
  }

  async function refused(answer: ApiAnswer, expected: string, pointers?: readonly string[]): Promise<Problem> {
    const problem = answer.json<Problem>();
    expect(`${answer.status} ${problem.code}`).toBe(expected);
    expect(answer.headers.get('location')).toBeNull();
    if (pointers !== undefined) expect(problem.errors?.map(({ pointer }) => pointer)).toEqual(pointers);
    expect(await client.list('/v1/jobs')).toEqual([]);
    return problem;
  }

  rule(
    'is accepted as one, in the order of its items, and ends with the last of its jobs (contract 2.14)',
    async () => {
      const split = { operation: 'split', options: { by: 'pages' }, metadata: { order: '42' } };
      const items = [item('z'), item('a', split), item('m', { inputs: [{ file_id: fileId }, { file_id: fileId }] })];
      const accepted = await submit(items, { key: 'k' });
      expect(accepted.status).toBe(202);
      const batch = accepted.json<BatchView>();
      expect(accepted.headers.get('location')).toBe(`/v1/batches/${batch.id}`);
      expect(batch).toMatchObject({ state: 'processing', items: 3, finished_at: null, expires_at: null });
      expect(batch.counts).toEqual({ ...noJobs, queued: 3 });

      const end = await ended(batch.id);
      expect(end.counts).toEqual({ ...noJobs, completed: 3 });
      const jobs = await jobsOf(batch.id);
      expect(jobs.map((job) => job.client_item_id)).toEqual(['z', 'a', 'm']);
      for (const job of jobs)
        expect(job).toMatchObject({ batch_id: batch.id, idempotency_key: 'k', expires_at: end.expires_at, attempt: 1 });
      expect(jobs[1]).toMatchObject({ operation: 'split', metadata: { order: '42' } });
      expect(jobs.map(({ outputs }) => outputs.length)).toEqual([1, 2, 1]);
      expect(await pageWidths((await client.download(jobs[2]?.id ?? '')).body)).toEqual([100, 101, 100, 101]);
      expect(await client.job(jobs[0]?.id ?? '')).toEqual(jobs[0]);

      const [event, ...others] = await eventsOf(batch.id);
      expect(others).toEqual([]);
      expect(event?.data).toMatchObject({ ...end, errors: [], errors_total: 0 });
      expect((await client.usage()).total.jobs).toBe(3);
    },
  );

  rule('is found by its key and replayed byte for byte, whatever became of it (contract 1.6, 2.6)', async () => {
    const accepted = await submit([item('a'), item('b')], { key: 'k' });
    const { id } = accepted.json<BatchView>();
    await ended(id);
    const [, elsewhere] = service.everywhere(client);
    const retries = [
      await submit([item('a'), item('b')], { key: 'k' }),
      await elsewhere?.post(
        '/v1/batches',
        { items: [item('a', { inputs: [{ file_id: fileId }] }), item('b')] },
        { key: 'k' },
      ),
    ];
    for (const retry of retries) {
      expect(retry?.status).toBe(202);
      expect(retry?.headers.get('idempotent-replayed')).toBe('true');
      expect(retry?.headers.get('location')).toBe(`/v1/batches/${id}`);
      expect(retry?.body).toEqual(accepted.body);
    }
    const found = await client.list<JobView>('/v1/jobs', { idempotency_key: 'k' });
    expect(found.map((job) => job.client_item_id).sort()).toEqual(['a', 'b']);
    const other = await submit([item('b'), item('a')], { key: 'k' });
    expect(`${other.status} ${other.json<Problem>().code}`).toBe('409 idempotency_key_reused');
    expect(await client.list('/v1/jobs')).toHaveLength(2);
  });

  rule('tells of each item that failed, and charges the others (contract 2.14, 2.15)', async () => {
    const accepted = await submit([item('good'), item('bad', { inputs: [{ file_id: letterId }] })]);
    const { id } = accepted.json<BatchView>();
    expect((await ended(id)).counts).toEqual({ ...noJobs, completed: 1, failed: 1 });
    const [failed] = await jobsOf(id, { state: 'failed' });
    expect(failed).toMatchObject({ client_item_id: 'bad', error: { code: 'not_a_pdf' } });
    const [event] = await eventsOf(id);
    expect(event?.data.errors).toEqual([{ job_id: failed?.id, client_item_id: 'bad', code: 'not_a_pdf' }]);
    expect(event?.data.errors_total).toBe(1);
    expect((await client.usage()).total.jobs).toBe(1);
  });

  rule('takes outputs of jobs that have not ended (contract 2.8, 2.14)', async () => {
    const source = { operation: 'merge', inputs: [{ file_id: fileId }, { file_id: fileId }] };
    const { id: jobId } = (await client.submit(source)).json<JobView>();
    const accepted = await submit([item('a', { inputs: [{ job_id: jobId }, { file_id: fileId }] }), item('b')]);
    const { id } = accepted.json<BatchView>();
    expect((await ended(id)).counts).toEqual({ ...noJobs, completed: 2 });
    const [first] = await jobsOf(id);
    expect(await pageWidths((await client.download(first?.id ?? '')).body)).toEqual([100, 101, 100, 101, 100, 101]);
  });

  rule(
    'with faulty items is refused as a whole, names each of them and leaves the key free (contract 1.9, 2.14)',
    async () => {
      const faulty = [
        item('a', { operation: 'shred' }),
        item('b'),
        item('c', { operation: 'split', options: { by: 'chapters' } }),
      ];
      await refused(await submit(faulty, { key: 'k' }), '400 invalid_request', [
        '/items/0/operation',
        '/items/2/options/by',
      ]);
      await refused(await submit([item('a'), item('a')], { key: 'k' }), '400 invalid_request', [
        '/items/1/client_item_id',
      ]);
      await refused(await submit([], { key: 'k' }), '400 invalid_request', ['/items']);
      const lost = { inputs: [{ file_id: fileId }, { file_id: 'file_01h455vb4pex5vsknk084sn02q' }] };
      const alien = { inputs: [{ job_id: 'job_01h455vb4pex5vsknk084sn02q' }] };
      await refused(await submit([item('a', alien), item('b'), item('c', lost)], { key: 'k' }), '422 input_not_found', [
        '/items/0/inputs/0/job_id',
        '/items/2/inputs/1/file_id',
      ]);
      const accepted = await submit([item('a')], { key: 'k' });
      expect(accepted.status).toBe(202);
      expect(accepted.headers.get('idempotent-replayed')).toBeNull();
    },
  );

  rule('names at most 100 problems of many, and says how many more there are', async () => {
    const items = Array.from({ length: 300 }, (_, index) => item(`${index}`, { inputs: [{ file_id: 'file_x' }] }));
    const problem = await refused(await submit(items), '422 input_not_found');
    expect(problem.errors).toHaveLength(100);
    expect(problem.detail).toMatch(/; and 200 more$/);
  });

  rule('is JSON, of up to 10 MB', async () => {
    const form = new FormData();
    form.append('files', new Blob(['%PDF-1.7']), 'a.pdf');
    const multipart = await client.send('POST', '/v1/batches', { body: form });
    expect((await refused(multipart, '415 unsupported_media_type')).detail).toContain('/v1/files');
    await refused(await client.send('POST', '/v1/batches'), '400 invalid_request');
    const metadata = Object.fromEntries(Array.from({ length: 7 }, (_, name) => [`${name}`, 'x'.repeat(500)]));
    const large = Array.from({ length: 1_000 }, (_, index) => item(`${index}`, { metadata, operation: 'shred' }));
    expect(JSON.stringify(large).length).toBeGreaterThan(3_000_000);
    await refused(await submit(large), '400 invalid_request');
    const tooLarge = await submit([item('a', { metadata: { text: 'x'.repeat(10_000_000) } })]);
    expect((await refused(tooLarge, '413 request_too_large')).detail).toContain('10 MB');
    const job = { operation: 'merge', inputs: [], metadata: { text: 'x'.repeat(1_000_000) } };
    expect((await refused(await client.submit(job), '413 request_too_large')).detail).toContain('1 MB');
  });

  rule('is nothing to another account (contract 7.3)', async () => {
    const { id } = (await submit([item('a')])).json<BatchView>();
    const other = await service.newAccount();
    for (const path of [`/v1/batches/${id}`, `/v1/batches/${id}/jobs`])
      expect((await other.get(path)).status).toBe(404);
    expect((await other.send('POST', `/v1/batches/${id}/cancel`)).status).toBe(404);
    expect((await client.get('/v1/batches/batch_01h455vb4pex5vsknk084sn02q/jobs')).status).toBe(404);
    expect((await ended(id)).counts).toEqual({ ...noJobs, completed: 1 });
  });

  rule('of 1,000 items starves nobody, and its cancellation ends it once (contract 2.11, 2.12, 2.14)', async () => {
    const items = Array.from({ length: 1_000 }, (_, index) => item(`item-${index}`));
    const { id, counts } = (await submit(items, { key: 'k' })).json<BatchView>();
    expect(counts).toEqual({ ...noJobs, queued: 1_000 });
    await eventually(async () => (await read(id)).counts.completed > 0, { withinMs: 20_000 });

    const other = await service.newAccount();
    const single = await other.submitFiles([{ name: 'a.pdf', bytes: await samplePdf([100]) }], { wait: 20 });
    expect(single.json<JobView>().state).toBe('completed');
    expect((await read(id)).state).toBe('processing');

    const cancelled = await client.send('POST', `/v1/batches/${id}/cancel`);
    expect(cancelled.status).toBe(200);
    const batch = cancelled.json<BatchView>();
    expect(batch).toMatchObject({ id, state: 'completed', items: 1_000 });
    expect(batch.counts.completed + batch.counts.cancelled).toBe(1_000);
    expect(await read(id)).toEqual(batch);
    expect(await eventsInAll(id)).toEqual({ batch: 1, jobs: 1_000, ends: 1_000 });
    const seen = await allJobsOf(id);
    expect(seen.map((job) => job.client_item_id)).toEqual(items.map((each) => each.client_item_id));
  });

  async function eventsInAll(id: string) {
    const [row] = await service.cluster.query<{ batch: number; jobs: number; ends: number }>(
      `SELECT (SELECT count(*)::int FROM events WHERE type = 'batch.completed' AND body::json->'data'->>'id' = $1) AS batch,
              count(DISTINCT job_id)::int AS jobs, count(*)::int AS ends
       FROM events WHERE body::json->'data'->>'batch_id' = $1`,
      [id],
    );
    return row;
  }

  async function allJobsOf(id: string): Promise<JobView[]> {
    const jobs: JobView[] = [];
    let cursor: string | null = '';
    while (cursor !== null) {
      const query: string = cursor === '' ? '' : `&cursor=${cursor}`;
      const page = await client.get(`/v1/batches/${id}/jobs?limit=100${query}`);
      const { data, next_cursor } = page.json<{ data: JobView[]; next_cursor: string | null }>();
      jobs.push(...data);
      cursor = next_cursor;
    }
    return jobs;
  }

  rule(
    'that is waited for is answered as it ended, and every retry without waiting with the stored 202 (contract 1.14)',
    async () => {
      const answer = await submit([item('a'), item('b', { inputs: [{ file_id: letterId }] })], { key: 'k', wait: 20 });
      expect(answer.status).toBe(200);
      expect(answer.headers.get('preference-applied')).toBe('wait=20');
      expect(answer.headers.get('idempotent-replayed')).toBeNull();
      const batch = answer.json<BatchView>();
      expect(answer.headers.get('location')).toBe(`/v1/batches/${batch.id}`);
      expect(batch).toMatchObject({ state: 'completed', counts: { ...noJobs, completed: 1, failed: 1 } });
      const items = [item('a'), item('b', { inputs: [{ file_id: letterId }] })];
      const retry = await submit(items, { key: 'k' });
      expect(retry.status).toBe(202);
      expect(retry.json<BatchView>()).toMatchObject({ id: batch.id, counts: { ...noJobs, queued: 2 } });
      const waiting = await submit(items, { key: 'k', wait: 20 });
      expect(waiting.status).toBe(200);
      expect(waiting.headers.get('idempotent-replayed')).toBe('true');
      expect(waiting.json()).toEqual(batch);
    },
  );

  rule('that does not end in time is answered with the stored 202, and attached to again (contract 1.14)', async () => {
    const worker = service.cluster.process('worker-1');
    worker.kill('SIGSTOP');
    const late = await submit([item('a')], { key: 'k', wait: 1 });
    expect(late.status).toBe(202);
    expect(late.headers.get('preference-applied')).toBeNull();
    const [, elsewhere] = service.everywhere(client);
    const attached = elsewhere?.post('/v1/batches', { items: [item('a')] }, { key: 'k', wait: 20 });
    worker.kill('SIGCONT');
    const answer = await attached;
    expect(answer?.status).toBe(200);
    expect(answer?.json<BatchView>()).toMatchObject({ id: late.json<BatchView>().id, state: 'completed' });
  });
});

describe('an API process told to end', () => {
  let service: Service;

  beforeAll(async () => {
    service = await Service.start({ apis: 1, workers: 0, dispatchers: 0 });
  }, startTimeoutMs);

  afterAll(() => service?.stop(), 30_000);

  it('answers a batch that is waited for with the stored 202, and exits 0 (contract 1.14)', async () => {
    const client = await service.newAccount();
    const file = await client.uploadFile({ name: 'a.pdf', bytes: await samplePdf([100]) });
    const inputs = [{ file_id: file.json<{ id: string }>().id }];
    const items = [{ client_item_id: 'a', operation: 'merge', inputs }];
    const waiting = client.post('/v1/batches', { items }, { key: 'k', wait: 60 });
    await eventually(async () => (await client.list('/v1/jobs')).length === 1);
    const api = service.cluster.process('api-1');
    api.kill('SIGTERM');
    const answer = await waiting;
    expect(answer.status).toBe(202);
    expect(answer.json<BatchView>().state).toBe('processing');
    await api.waitForEnd({ code: 0, signal: null });
  }, 40_000);
});
