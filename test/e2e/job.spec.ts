import { createHash } from 'node:crypto';
import type { JobView } from '#libs/domain';
import type { ApiClient } from '../support/api-client.js';
import { eventually } from '../support/eventually.js';
import { pageWidths, samplePdf, widthsFrom } from '../support/pdf-samples.js';
import { verified } from '../support/webhook-receiver.js';
import { Service, startTimeoutMs } from './service.js';

describe('a job from its submission to its webhook', () => {
  const rule = (title: string, check: () => Promise<void>) => it(title, check, 30_000);
  let service: Service;
  let client: ApiClient;
  let a: Uint8Array;
  let b: Uint8Array;

  beforeAll(async () => {
    [service, a, b] = await Promise.all([
      Service.start(),
      samplePdf(widthsFrom(100, 2)),
      samplePdf(widthsFrom(200, 3)),
    ]);
  }, startTimeoutMs);

  afterAll(() => service?.stop(), 30_000);

  beforeEach(async () => {
    client = await service.newAccount();
  });

  const files = () => [
    { name: 'a.pdf', bytes: a },
    { name: 'b.pdf', bytes: b },
  ];

  async function merged(): Promise<JobView> {
    const job = (await client.submitFiles(files())).json<JobView>();
    return client.endedJob(job.id);
  }

  rule('merges uploaded documents in their order, and says what it made (contract 2.1, 2.6)', async () => {
    const accepted = await client.submitFiles(files(), { key: 'order-42', metadata: { order: '42' } });
    expect(accepted.status).toBe(202);
    const queued = accepted.json<JobView>();
    expect(accepted.headers.get('location')).toBe(`/v1/jobs/${queued.id}`);
    expect(accepted.headers.get('idempotent-replayed')).toBeNull();
    expect(queued).toMatchObject({ state: 'queued', attempt: 0, outputs: [], expires_at: null, finished_at: null });
    expect(queued.progress).toEqual({ done: 0, total: 2, unit: 'inputs' });

    const job = await client.endedJob(queued.id);
    expect(job).toMatchObject({
      state: 'completed',
      attempt: 1,
      idempotency_key: 'order-42',
      error: null,
      warnings: [],
    });
    expect(job.metadata).toEqual({ order: '42' });
    expect(job.progress).toEqual({ done: 2, total: 2, unit: 'inputs' });
    expect(job.inputs.map(({ name, sha256 }) => ({ name, sha256 }))).toEqual([
      { name: 'a.pdf', sha256: hash(a) },
      { name: 'b.pdf', sha256: hash(b) },
    ]);
    expect(job.outputs).toMatchObject([{ index: 0, name: 'merged.pdf', media_type: 'application/pdf', pages: 5 }]);
    const { body } = await client.download(job.id);
    expect(await pageWidths(body)).toEqual([100, 101, 200, 201, 202]);
    expect(hash(body)).toBe(job.outputs[0]?.sha256);
  });

  rule('sends one signed webhook whose body is the event that the API shows', async () => {
    const { id: endpointId, secret } = (
      await client.createEndpoint({
        url: service.receiver.url,
        event_types: ['job.*'],
        headers: { 'X-Team': 'billing' },
      })
    ).json<{ id: string; secret: string }>();
    const job = await merged();

    const [request] =
      (await eventually(() => {
        const requests = service.receiver.received(({ body }) => body.includes(job.id));
        return requests.length > 0 ? requests : undefined;
      })) ?? [];
    if (request === undefined) throw new Error('no webhook');
    const event = verified(secret)(request) as { id: string; type: string; data: JobView };
    expect(event.type).toBe('job.completed');
    expect(event.id).toBe(request.headers['webhook-id']);
    expect(request.headers['x-team']).toBe('billing');
    expect(event.data).toMatchObject({ id: job.id, state: 'completed', outputs: job.outputs });
    expect(event.data).not.toHaveProperty('inputs');
    const { object, ...shown } = (await client.get(`/v1/events/${event.id}`)).json<{ object: string }>();
    expect(object).toBe('event');
    expect(shown).toEqual(JSON.parse(request.body.toString('utf8')));
    expect(await client.list('/v1/events')).toEqual([{ object, ...shown }]);

    const delivery = await eventually(async () => {
      const [only, ...others] = await client.list<Delivery>('/v1/deliveries', { event_id: event.id });
      expect(others).toEqual([]);
      return only?.state === 'delivered' ? only : undefined;
    });
    expect(delivery).toMatchObject({ endpoint_id: endpointId, event_type: 'job.completed', redelivery_of: null });
    const whole = (await client.get(`/v1/deliveries/${delivery?.id}`)).json<Delivery>();
    expect(whole.attempts).toMatchObject([{ number: 1, outcome: 'delivered', status_code: 200 }]);
    expect(request.headers['pdfonce-delivery-id']).toBe(whole.id);
    expect(service.receiver.received(({ body }) => body.includes(job.id))).toHaveLength(1);
  });

  rule('tries a failed delivery again under the same event id', async () => {
    const { id: endpointId } = (await client.createEndpoint({ url: service.receiver.url })).json<{ id: string }>();
    service.receiver.respond([503, 200]);
    const job = await merged();
    const requests =
      (await eventually(
        () => {
          const seen = service.receiver.received(({ body }) => body.includes(job.id));
          return seen.length === 2 ? seen : undefined;
        },
        { withinMs: 15_000, describe: 'a second attempt' },
      )) ?? [];
    expect(new Set(requests.map(({ headers }) => headers['webhook-id'])).size).toBe(1);
    const [delivery] =
      (await eventually(async () => {
        const delivered = await client.list<Delivery>('/v1/deliveries', {
          endpoint_id: endpointId,
          state: 'delivered',
        });
        return delivered.length > 0 ? delivered : undefined;
      })) ?? [];
    const { attempts } = (await client.get(`/v1/deliveries/${delivery?.id}`)).json<Delivery>();
    expect(attempts.map(({ outcome, status_code }) => ({ outcome, status_code }))).toEqual([
      { outcome: 'server_error', status_code: 503 },
      { outcome: 'delivered', status_code: 200 },
    ]);
  });

  rule('downloads whole, in parts, by ETag and by a signed link (contract 2.7)', async () => {
    const job = await merged();
    const [output] = job.outputs;
    if (output === undefined) throw new Error('no output');
    const whole = await client.download(job.id);
    const etag = `"${output.sha256}"`;
    expect(whole.headers.get('etag')).toBe(etag);
    expect(whole.headers.get('content-type')).toBe('application/pdf');
    expect(whole.body).toHaveLength(output.size);
    expect((await client.download(job.id, 0, { 'if-none-match': etag })).status).toBe(304);

    const part = await client.download(job.id, 0, { range: 'bytes=10-19' });
    expect(part.status).toBe(206);
    expect(part.headers.get('content-range')).toBe(`bytes 10-19/${output.size}`);
    expect(part.body).toEqual(whole.body.subarray(10, 20));
    const beyond = await client.download(job.id, 0, { range: `bytes=${output.size}-` });
    expect(beyond.status).toBe(416);
    expect(beyond.headers.get('content-range')).toBe(`bytes */${output.size}`);

    const linked = await fetch(output.download_url);
    expect(linked.status).toBe(200);
    expect(Buffer.from(await linked.arrayBuffer())).toEqual(whole.body);
    const forged = await fetch(output.download_url.replace(/signature=..../, 'signature=AAAA'));
    expect(forged.status).toBe(401);
    await forged.arrayBuffer();
    const keyless = await fetch(output.url);
    expect(keyless.status).toBe(401);
    await keyless.arrayBuffer();
    expect((await client.job(job.id)).outputs[0]?.download_url).toBe(output.download_url);
    expect((await client.download(job.id, 1)).status).toBe(404);
  });

  rule('takes an uploaded file as input, as often as it is named (contract 2.1)', async () => {
    const upload = await client.uploadFile({ name: 'a.pdf', bytes: a }, { key: 'upload-1' });
    const file = upload.json<{ id: string; sha256: string; size: number }>();
    expect(upload.headers.get('location')).toBe(`/v1/files/${file.id}`);
    expect(file).toMatchObject({ sha256: hash(a), size: a.length });
    expect((await client.get(`/v1/files/${file.id}`)).json()).toEqual(file);
    const again = await client.uploadFile({ name: 'a.pdf', bytes: a }, { key: 'upload-1' });
    expect(again.headers.get('idempotent-replayed')).toBe('true');
    expect(again.body).toEqual(upload.body);

    const inputs = [{ file_id: file.id }, { file_id: file.id }];
    const { id } = (await client.submit({ operation: 'merge', inputs })).json<JobView>();
    expect((await client.endedJob(id)).state).toBe('completed');
    expect(await pageWidths((await client.download(id)).body)).toEqual([100, 101, 100, 101]);
  });

  rule('takes the output of a completed job as input, beside an uploaded part (contract 2.1, 2.8)', async () => {
    const first = await merged();
    const inputs = [{ part: 0 }, { job_id: first.id, output: 0 }];
    const answer = await client.submitFiles([{ name: 'b.pdf', bytes: b }], { inputs });
    const second = await client.endedJob(answer.json<JobView>().id);
    expect(second.state).toBe('completed');
    expect(await pageWidths((await client.download(second.id)).body)).toEqual([200, 201, 202, 100, 101, 200, 201, 202]);
  });

  rule('splits by ranges into one output each, and by pages (contract 2.4)', async () => {
    const bytes = await samplePdf(widthsFrom(300, 5));
    const options = { by: 'ranges', ranges: ['1-2', '4-', '-1'] };
    const answer = await client.submitFiles([{ name: 'book.pdf', bytes }], { operation: 'split', options });
    const job = await client.endedJob(answer.json<JobView>().id);
    expect(job.outputs.map(({ pages }) => pages)).toEqual([2, 2, 1]);
    const parts = await Promise.all(job.outputs.map(({ index }) => client.download(job.id, index)));
    expect(await Promise.all(parts.map(({ body }) => pageWidths(body)))).toEqual([[300, 301], [303, 304], [304]]);

    const byPages = { operation: 'split', options: { by: 'pages' } };
    const pages = (await client.submitFiles([{ name: 'book.pdf', bytes }], byPages)).json<JobView>();
    expect((await client.endedJob(pages.id)).outputs).toHaveLength(5);
  });

  rule('fails a job whose input is no PDF as not_a_pdf, and charges nothing (contract 2.5, 2.15)', async () => {
    const { id: endpointId } = (await client.createEndpoint({ url: service.receiver.url })).json<{ id: string }>();
    const text = { name: 'letter.pdf', bytes: Buffer.from('Dear reader, this is a letter and no document.') };
    const answer = await client.submitFiles([{ name: 'a.pdf', bytes: a }, text], { key: 'letter' });
    const job = await client.endedJob(answer.json<JobView>().id);
    expect(job).toMatchObject({
      state: 'failed',
      outputs: [],
      error: { code: 'not_a_pdf', input: 1, retryable: false },
    });
    expect((await client.usage()).total.jobs).toBe(0);
    const again = await client.submitFiles([{ name: 'a.pdf', bytes: a }, text], { key: 'letter' });
    expect(again.headers.get('idempotent-replayed')).toBe('true');
    expect(again.body).toEqual(answer.body);
    const told = await eventually(async () => {
      const deliveries = await client.list<Delivery>('/v1/deliveries', { endpoint_id: endpointId });
      return deliveries.length > 0 ? deliveries : undefined;
    });
    expect(told?.map(({ event_type }) => event_type)).toEqual(['job.failed']);
  });

  rule('fails a job whose range names pages that are not there as page_out_of_range', async () => {
    const options = { by: 'ranges', ranges: ['2-9'] };
    const answer = await client.submitFiles([{ name: 'a.pdf', bytes: a }], { operation: 'split', options });
    const job = await client.endedJob(answer.json<JobView>().id);
    expect(job).toMatchObject({ state: 'failed', error: { code: 'page_out_of_range', retryable: false } });
  });

  rule('counts each completed job once in the usage (contract 2.15)', async () => {
    const first = await merged();
    await merged();
    const inputBytes = 2 * (a.length + b.length);
    const outputBytes = 2 * (first.outputs[0]?.size ?? 0);
    const sums = { jobs: 2, pages: 10, input_bytes: inputBytes, output_bytes: outputBytes };
    const usage = await client.usage();
    expect(usage.total).toEqual(sums);
    expect(usage.data).toMatchObject([{ operation: 'merge', ...sums }]);
  });

  rule('lists jobs newest first, page by page, by state and by idempotency key (contract 2.6, 2.13)', async () => {
    const answers = [];
    for (const key of ['k1', 'k2', 'k3']) answers.push(await client.submitFiles(files(), { key }));
    const ids = answers.map((answer) => answer.json<JobView>().id);
    await Promise.all(ids.map((id) => client.endedJob(id)));
    const first = (await client.get('/v1/jobs?limit=2')).json<{ data: JobView[]; next_cursor: string }>();
    const second = (await client.get(`/v1/jobs?limit=2&cursor=${first.next_cursor}`)).json<typeof first>();
    expect([...first.data, ...second.data].map(({ id }) => id)).toEqual([...ids].reverse());
    expect(second.next_cursor).toBeNull();
    expect((await client.list<JobView>('/v1/jobs', { idempotency_key: 'k2' })).map(({ id }) => id)).toEqual([ids[1]]);
    expect(await client.list('/v1/jobs', { state: 'failed' })).toEqual([]);
    expect((await client.get('/v1/jobs?state=nonsense')).status).toBe(400);
  });
});

interface Delivery {
  readonly id: string;
  readonly state: string;
  readonly event_type: string;
  readonly attempts: readonly { readonly outcome: string; readonly status_code: number | null }[];
}

function hash(bytes: Uint8Array): string {
  return createHash('sha256').update(bytes).digest('hex');
}
