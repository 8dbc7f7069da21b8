import { createHash } from 'node:crypto';
import type { JobView } from '#libs/domain';
import type { ApiClient } from '../support/api-client.js';
import { eventually } from '../support/eventually.js';
import { pageWidths, samplePdf, widthsFrom } from '../support/pdf-samples.js';
import { Service, startTimeoutMs } from './service.js';

const pdf = 'application/pdf';

describe('a request that waits', () => {
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

  const files = () => [{ name: 'a.pdf', bytes: a }];
  const letter = [{ name: 'a.pdf', bytes: Buffer.from('a letter') }];

  rule(
    'is answered with the job as it ended, and every retry without waiting with the stored 202 (contract 1.14)',
    async () => {
      const ended = await client.submitFiles(files(), { key: 'k', wait: 20 });
      expect(ended.status).toBe(200);
      expect(ended.headers.get('preference-applied')).toBe('wait=20');
      expect(ended.headers.get('idempotent-replayed')).toBeNull();
      const job = ended.json<JobView>();
      expect(job.state).toBe('completed');
      expect(ended.headers.get('location')).toBe(`/v1/jobs/${job.id}`);
      const retry = await client.submitFiles(files(), { key: 'k' });
      expect(retry.status).toBe(202);
      expect(retry.json<JobView>()).toMatchObject({ id: job.id, state: 'queued' });
      const waiting = await client.submitFiles(files(), { key: 'k', wait: 20 });
      expect(waiting.headers.get('idempotent-replayed')).toBe('true');
      expect(waiting.json()).toEqual(job);
    },
  );

  rule(
    'gets the document itself when it accepts nothing else, by ETag and again on a retry (contract 1.14)',
    async () => {
      const answer = await client.submitFiles(files(), { key: 'k', wait: 20, accept: pdf });
      expect(answer.status).toBe(200);
      expect(answer.headers.get('content-type')).toBe(pdf);
      expect(answer.headers.get('etag')).toBe(`"${createHash('sha256').update(answer.body).digest('hex')}"`);
      expect(await pageWidths(answer.body)).toEqual([100, 101]);
      const retry = await client.submitFiles(files(), { key: 'k', wait: 20, accept: pdf });
      expect(retry.headers.get('idempotent-replayed')).toBe('true');
      expect(retry.body).toEqual(answer.body);
      expect((await client.usage()).total.jobs).toBe(1);
    },
  );

  rule(
    'gets the whole document, whatever part or version of it the headers of a GET name (contract 1.14)',
    async () => {
      const whole = await client.submitFiles(files(), { key: 'k', wait: 20, accept: pdf });
      const form = new FormData();
      form.set('operation', 'merge');
      form.append('files', new Blob([new Uint8Array(a)], { type: pdf }), 'a.pdf');
      const etag = whole.headers.get('etag') ?? '';
      const conditions = { range: 'bytes=0-7', 'if-none-match': etag };
      const headers = { 'idempotency-key': 'k', prefer: 'wait=20', accept: pdf, ...conditions };
      const answer = await client.send('POST', '/v1/jobs', { headers, body: form });
      expect(answer.status).toBe(200);
      expect(answer.headers.get('content-range')).toBeNull();
      expect(answer.body).toEqual(whole.body);
    },
  );

  rule('is told that the document has expired when it has, and where the job is (contract 1.14)', async () => {
    const { id } = (await client.submitFiles(files(), { key: 'k', wait: 20 })).json<JobView>();
    await service.cluster.query(
      `UPDATE job_outputs SET expires_at = now() - interval '1 second'
       WHERE job_id = (SELECT job_id FROM events WHERE body::json->'data'->>'id' = $1)`,
      [id],
    );
    const answer = await client.submitFiles(files(), { key: 'k', wait: 20, accept: pdf });
    expect(`${answer.status} ${answer.json<{ code: string }>().code}`).toBe('410 output_expired');
    expect(answer.headers.get('location')).toBe(`/v1/jobs/${id}`);
    expect((await client.submitFiles(files(), { key: 'k', wait: 20 })).json<JobView>().state).toBe('completed');
  });

  rule('gets the problem of a failed job as 422 with its Location instead of a document (contract 1.14)', async () => {
    const answer = await client.submitFiles(letter, { key: 'k', wait: 20, accept: pdf });
    expect(answer.status).toBe(422);
    expect(answer.json()).toMatchObject({ code: 'not_a_pdf', status: 422 });
    const [job] = await client.list<JobView>('/v1/jobs');
    expect(answer.headers.get('location')).toBe(`/v1/jobs/${job?.id}`);
    const asJob = await client.submitFiles(letter, { key: 'k', wait: 20 });
    expect(asJob.status).toBe(200);
    expect(asJob.json<JobView>()).toMatchObject({ id: job?.id, state: 'failed', error: { code: 'not_a_pdf' } });
  });

  rule('gets the job, not one of its documents, when there are several (contract 1.14)', async () => {
    const options = { operation: 'split', options: { by: 'pages' }, wait: 20, accept: pdf };
    const answer = await client.submitFiles(files(), options);
    expect(answer.status).toBe(200);
    expect(answer.json<JobView>().outputs).toHaveLength(2);
  });

  rule(
    'is answered 202 when the time is up, and attaches to the running job when it is sent again (contract 1.14)',
    async () => {
      const worker = service.cluster.process('worker-1');
      worker.kill('SIGSTOP');
      const late = await client.submitFiles(files(), { key: 'k', wait: 1 });
      expect(late.status).toBe(202);
      expect(late.headers.get('preference-applied')).toBeNull();
      const [, elsewhere] = service.everywhere(client);
      const attached = elsewhere?.submitFiles(files(), { key: 'k', wait: 20 });
      worker.kill('SIGCONT');
      const answer = await attached;
      expect(answer?.status).toBe(200);
      expect(answer?.headers.get('idempotent-replayed')).toBe('true');
      expect(answer?.json<JobView>()).toMatchObject({ id: late.json<JobView>().id, state: 'completed' });
    },
  );

  rule('changes nothing when its client leaves early (contract 1.14)', async () => {
    const worker = service.cluster.process('worker-1');
    worker.kill('SIGSTOP');
    const leaving = new AbortController();
    const form = new FormData();
    form.set('operation', 'merge');
    form.append('files', new Blob([new Uint8Array(a)], { type: pdf }), 'a.pdf');
    const headers = { 'idempotency-key': 'k', prefer: 'wait=20' };
    const left = client.send('POST', '/v1/jobs', { headers, body: form, signal: leaving.signal });
    const [job] = (await eventually(async () => {
      const jobs = await client.list<JobView>('/v1/jobs');
      return jobs.length > 0 ? jobs : undefined;
    })) as JobView[];
    leaving.abort();
    await expect(left).rejects.toThrow();
    worker.kill('SIGCONT');
    expect((await client.endedJob(job?.id ?? '')).state).toBe('completed');
    expect((await client.submitFiles(files(), { key: 'k' })).json<JobView>().id).toBe(job?.id);
  });
});

describe('an API process told to end', () => {
  let service: Service;

  beforeAll(async () => {
    service = await Service.start({ apis: 1, workers: 0, dispatchers: 0 });
  }, startTimeoutMs);

  afterAll(() => service?.stop(), 30_000);

  it('answers a request that waits with 202 and exits 0', async () => {
    const client = await service.newAccount();
    const api = service.cluster.process('api-1');
    const waiting = client.submitFiles([{ name: 'a.pdf', bytes: await samplePdf([100]) }], { key: 'k', wait: 60 });
    await eventually(async () => (await client.list('/v1/jobs')).length === 1);
    api.kill('SIGTERM');
    const answer = await waiting;
    expect(answer.status).toBe(202);
    expect(answer.json<JobView>().state).toBe('queued');
    await api.waitForEnd({ code: 0, signal: null });

    await service.cluster.startAgain('api-1');
    const [job] = await client.list<JobView>('/v1/jobs');
    expect(job?.id).toBe(answer.json<JobView>().id);
  }, 40_000);
});
