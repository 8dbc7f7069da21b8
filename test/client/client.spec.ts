import { createHash, randomBytes } from 'node:crypto';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { PDFDocument, PDFName } from 'pdf-lib';
import { type Accepted, type Download, PdfonceClient, RequestRefusedError } from '#libs/client';
import { Cluster } from '../support/cluster.js';
import { DroppingProxy, type Fate } from '../support/dropping-proxy.js';
import { pageWidths, samplePdf, widthsFrom } from '../support/pdf-samples.js';

describe('the client behind a proxy that loses answers', () => {
  const rule = (title: string, check: () => Promise<void>) => it(title, check, 60_000);
  const large = randomBytes(4_000_000);
  let cluster: Cluster;
  let proxy: DroppingProxy;
  let directory: string;
  let client: PdfonceClient;
  let a: Uint8Array;
  let b: Uint8Array;
  let accounts = 0;

  beforeAll(async () => {
    cluster = await Cluster.start({ dispatchers: 0 });
    [proxy, directory] = await Promise.all([
      DroppingProxy.open(cluster.apiUrls[0] ?? ''),
      mkdtemp(join(tmpdir(), 'pdfonce-client-')),
    ]);
    [a, b] = await Promise.all([samplePdf(widthsFrom(100, 2)), weighty(await samplePdf(widthsFrom(200, 3)))]);
  }, 90_000);

  afterAll(async () => {
    await proxy?.close();
    await cluster?.stop();
    if (directory !== undefined) await rm(directory, { recursive: true });
  }, 30_000);

  beforeEach(async () => {
    accounts += 1;
    client = new PdfonceClient({ url: proxy.url, apiKey: await cluster.createKey(`account-${accounts}`) });
  });

  /** Makes a call while the proxy does this, and gives what came of it when one key, that of the result, was on the wire each time. */
  async function under<T>(fates: readonly Fate[], call: () => Promise<Accepted<T>>): Promise<Accepted<T>> {
    proxy.plan(...fates);
    const accepted = await call();
    const requests = proxy.requests.filter(({ method }) => method === 'POST');
    expect(requests.map(({ keys }) => keys)).toEqual(Array(fates.length + 1).fill([accepted.idempotencyKey]));
    expect(accepted.attempts).toBe(fates.length + 1);
    proxy.plan();
    return accepted;
  }

  async function all<T>(entries: AsyncIterable<T>): Promise<T[]> {
    const read: T[] = [];
    for await (const entry of entries) read.push(entry);
    return read;
  }

  async function bytesOf({ stream }: Download): Promise<Buffer> {
    return Buffer.from(await new Response(stream).arrayBuffer());
  }

  const files = () => [
    { name: 'a.pdf', content: a },
    { name: 'b.pdf', content: new Blob([b]) },
  ];
  const uploadA = async () => (await client.files.upload({ name: 'a.pdf', content: a })).value.id;

  rule('makes one job of one call, whatever happens to its connections', async () => {
    const fates: Fate[] = [{ cutBodyAt: 500_000 }, 'drop-answer', { cutBodyAt: 1_000_000 }, 'drop-answer'];
    const accepted = await under(fates, () => client.jobs.createWithFiles({ operation: 'merge' }, files()));
    expect(accepted.isReplayed).toBe(true);
    expect((await all(client.jobs.list())).map(({ id }) => id)).toEqual([accepted.value.id]);

    const job = await client.jobs.waitFor(accepted.value);
    expect(job).toMatchObject({ state: 'completed', idempotency_key: accepted.idempotencyKey });
    const [output] = job.outputs;
    if (output === undefined) throw new Error('no output');
    proxy.plan({ cutAnswerAt: 100_000 }, 'drop-answer', { cutAnswerAt: 200_000 });
    const bytes = await bytesOf(await client.outputs.download(job.id, output));
    expect(proxy.requests.map(({ status }) => status)).toEqual([200, 206, 206, 206]);
    expect(createHash('sha256').update(bytes).digest('hex')).toBe(output.sha256);
    expect(await pageWidths(bytes)).toEqual([100, 101, 200, 201, 202]);
    expect((await client.usage()).total.jobs).toBe(1);
  });

  rule('makes one job of JSON, under the key that its caller has for it', async () => {
    const inputs = [{ file_id: await uploadA() }];
    const job = { operation: 'merge', inputs, metadata: { order: '42' } };
    const options = { idempotencyKey: 'order-42' };
    const first = await under(['drop-answer', 'drop-answer'], () => client.jobs.create(job, options));
    expect(first.idempotencyKey).toBe('order-42');
    const again = await under([], () => client.jobs.create(job, options));
    expect(again.value).toEqual(first.value);
    expect(again.isReplayed).toBe(true);
    expect(await all(client.jobs.list({ idempotency_key: 'order-42' }))).toHaveLength(1);
  });

  rule('sends with each input the pages to take of it, and what opens it', async () => {
    const inputs = [{ part: 1, pages: '-1', password: 'sesame' }, { part: 0 }];
    const { value } = await client.jobs.createWithFiles({ operation: 'merge', inputs }, files());
    expect(value.inputs.map(({ name }) => name)).toEqual(['b.pdf', 'a.pdf']);
    const pages = [{ part: 0, pages: '1' }];
    const splitting = client.jobs.createWithFiles({ operation: 'split', inputs: pages }, [{ content: a }]);
    await expect(splitting).rejects.toMatchObject({ code: 'invalid_request', retry: 'fix' });
  });

  rule('never sends another request again under a key that is taken', async () => {
    const inputs = [{ file_id: await uploadA() }];
    await client.jobs.create({ operation: 'merge', inputs }, { idempotencyKey: 'order-42' });
    proxy.plan();
    const other = client.jobs.create({ operation: 'split', inputs }, { idempotencyKey: 'order-42' });
    await expect(other).rejects.toBeInstanceOf(RequestRefusedError);
    await expect(other).rejects.toMatchObject({
      code: 'idempotency_key_reused',
      retry: 'new-key',
      idempotencyKey: 'order-42',
      attempts: 1,
    });
    expect(proxy.requests).toHaveLength(1);
  });

  rule('waits on with the same job when the held answer is lost', async () => {
    const inputs = [{ file_id: await uploadA() }];
    const job = { operation: 'merge', inputs };
    const { value, isReplayed } = await under(['drop-answer'], () => client.jobs.create(job, { wait: 30 }));
    expect([value.state, isReplayed]).toEqual(['completed', true]);
    expect(await all(client.jobs.list())).toHaveLength(1);
  });

  rule('uploads one file of one path, read anew each time', async () => {
    const path = join(directory, 'large.bin');
    await writeFile(path, large);
    const fates: Fate[] = [{ cutBodyAt: 3_000_000 }, 'drop-answer', { cutBodyAt: 1_000 }];
    const { value, isReplayed } = await under(fates, () => client.files.upload({ content: { path } }));
    expect(isReplayed).toBe(true);
    expect(value).toMatchObject({
      name: 'large.bin',
      size: large.length,
      sha256: createHash('sha256').update(large).digest('hex'),
    });
    expect(await client.files.get(value.id)).toEqual(value);
  });

  rule('makes one batch, and finds its jobs', async () => {
    const inputs = [{ file_id: await uploadA() }];
    const items = ['x', 'y', 'z'].map((name) => ({ client_item_id: name, operation: 'merge', inputs }));
    const { value } = await under(['drop-answer', 'drop-answer'], () => client.batches.create({ items }));
    expect(await client.batches.waitFor(value)).toMatchObject({
      state: 'completed',
      counts: { completed: 3 },
      items: 3,
    });
    const jobs = await all(client.batches.jobs(value.id, { limit: 2 }));
    expect(jobs.map(({ client_item_id: name, batch_id: id }) => [name, id])).toEqual([
      ['x', value.id],
      ['y', value.id],
      ['z', value.id],
    ]);
    expect(await all(client.jobs.list({ limit: 2 }))).toHaveLength(3);
  });

  rule('makes one endpoint, and learns its secret although the answer that showed it was lost', async () => {
    const url = 'http://127.0.0.1:9/hooks';
    const { value } = await under(['drop-answer'], () => client.webhookEndpoints.create({ url }));
    expect(value.secret).toMatch(/^whsec_/);
    const [shown, ...others] = await all(client.webhookEndpoints.list());
    expect({ ...shown, secret: value.secret }).toEqual(value);
    expect(others).toEqual([]);
    proxy.plan('drop-answer');
    await client.webhookEndpoints.delete(value.id);
    expect(proxy.requests.map(({ method, status }) => [method, status])).toEqual([
      ['DELETE', 204],
      ['DELETE', 404],
    ]);
    expect(await all(client.webhookEndpoints.list())).toEqual([]);
  });

  rule('makes one API key, which works until it is revoked', async () => {
    const request = { name: 'reader', scopes: ['jobs:read'] as const };
    const { value } = await under(['drop-answer'], () => client.apiKeys.create(request));
    const reader = new PdfonceClient({ url: proxy.url, apiKey: value.secret ?? '' });
    expect(await all(reader.jobs.list())).toEqual([]);
    await client.apiKeys.revoke(value.id);
    const keys = await all(client.apiKeys.list());
    expect(keys.filter(({ name }) => name === 'reader')).toMatchObject([
      { id: value.id, revoked_at: expect.any(String) },
    ]);
  });

  rule('cancels once, and is told so although the answer was lost', async () => {
    const source = await client.jobs.create({ operation: 'merge', inputs: [{ file_id: await uploadA() }] });
    await cluster.process('worker-1').stop();
    const { value } = await client.jobs.create({ operation: 'merge', inputs: [{ job_id: source.value.id }] });
    const cancelled = await under(['drop-answer'], () => client.jobs.cancel(value.id));
    expect(cancelled.value).toMatchObject({ id: value.id, state: 'cancelled' });
    await cluster.startAgain('worker-1');
    const { entries } = await client.jobs.history(value.id);
    expect(entries.filter(({ type }) => type === 'event')).toHaveLength(1);
    await expect(client.jobs.waitFor(value, { throwOnFailure: true })).rejects.toMatchObject({ code: 'job_cancelled' });
    await expect(client.jobs.cancel(value.id)).rejects.toMatchObject({ code: 'job_finished', retry: 'never' });
  });

  rule('throws what a job failed with, when that is wanted', async () => {
    const content = Buffer.from('Dear reader, this is a letter and no document.');
    const { value, idempotencyKey } = await client.jobs.createWithFiles({ operation: 'merge' }, [{ content }]);
    await expect(client.jobs.waitFor(value.id, { throwOnFailure: true })).rejects.toMatchObject({
      name: 'JobFailedError',
      code: 'not_a_pdf',
      retryable: false,
      idempotencyKey,
    });
    const events = await all(client.events.list({ order: 'asc' }));
    expect(events.map(({ type }) => type)).toEqual(['job.failed']);
    expect(await client.events.get(events[0]?.id ?? '')).toEqual(events[0]);
  });

  rule('gets through a crash of the service with one job', async () => {
    const inputs = [{ file_id: await uploadA() }];
    const api = cluster.process('api-1');
    api.kill('SIGKILL');
    await api.exited;
    const creating = client.jobs.create({ operation: 'merge', inputs });
    await cluster.startAgain('api-1');
    const { value, attempts } = await creating;
    expect(attempts).toBeGreaterThan(1);
    expect((await all(client.jobs.list())).map(({ id }) => id)).toEqual([value.id]);
  });
});

/** The same pages, the first with two megabytes that it does not show. */
async function weighty(pdf: Uint8Array): Promise<Uint8Array> {
  const document = await PDFDocument.load(pdf, { updateMetadata: false });
  const { context } = document;
  const weight = context.register(context.stream(randomBytes(2_000_000), { Type: 'XObject', Subtype: 'Form' }));
  document.getPage(0).node.setXObject(PDFName.of('Weight'), weight);
  return document.save();
}
