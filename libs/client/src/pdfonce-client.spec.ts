import { routes } from '#libs/contract';
import type { z } from 'zod';
import type {
  ApiKey,
  Batch,
  Delivery,
  Job,
  JobHistory,
  Page,
  Recovery,
  SentEvent,
  StoredFile,
  Usage,
  WebhookEndpoint,
} from './index.js';
import { PdfonceClient } from './pdfonce-client.js';

/** Fails to compile when the service answers with something that the client says to be something else. */
type Answered<Name extends keyof typeof routes> = z.output<NonNullable<(typeof routes)[Name]['answer']['schema']>>;
type Fits<Sent extends Described, Described> = Sent;
export type Shapes = [
  Fits<Answered<'readJob'>, Job>,
  Fits<Answered<'readJobHistory'>, JobHistory>,
  Fits<Answered<'readBatch'>, Batch>,
  Fits<Answered<'readFile'>, StoredFile>,
  Fits<Answered<'readDelivery'>, Delivery>,
  Fits<Answered<'readRecovery'>, Recovery>,
  Fits<Answered<'readEvent'>, SentEvent>,
  Fits<Answered<'readUsage'>, Usage>,
  Fits<Answered<'readEndpoint'>, WebhookEndpoint>,
  Fits<Answered<'createApiKey'>, ApiKey>,
];
describe('the client', () => {
  it.each(['http://service.example/v1', 'http://service.example/pdf/v1/'])(
    'refuses a url that ends in /v1: %s',
    (url) => {
      expect(() => new PdfonceClient({ url, apiKey: 'secret' })).toThrow(/without \/v1, which the client adds/);
    },
  );

  interface Sent {
    readonly method: string;
    readonly path: string;
    readonly key: string | null;
    readonly prefer: string | null;
  }
  const sent: Sent[] = [];
  const page: Page<never> = { object: 'list', data: [], next_cursor: null };
  const client = new PdfonceClient({
    url: 'http://service.example/pdf/',
    apiKey: 'secret',
    fetch: async (url, init) => {
      const { pathname } = new URL(url);
      const headers = new Headers(init.headers);
      const [key, prefer] = [headers.get('idempotency-key'), headers.get('prefer')];
      sent.push({ method: init.method ?? '', path: pathname.replace(/^\/pdf/, ''), key, prefer });
      return Response.json(page);
    },
  });

  beforeEach(() => void sent.splice(0));

  const job = { operation: 'merge', inputs: [{ file_id: 'file_1' }] };
  const drain = async (entries: AsyncIterable<unknown>) => {
    const all: unknown[] = [];
    for await (const entry of entries) all.push(entry);
    return all;
  };

  it('has a call for every route, and sends a key with every POST and with nothing else', async () => {
    await client.jobs.create(job);
    await drain(client.jobs.list());
    await client.jobs.get('job_id');
    await client.jobs.history('job_id');
    await client.jobs.cancel('job_id');
    await client.outputs.download('job_id');
    await client.batches.create({ items: [{ ...job, client_item_id: 'a' }] });
    await client.batches.get('batch_id');
    await drain(client.batches.jobs('batch_id'));
    await client.batches.cancel('batch_id');
    await client.files.upload({ content: new Uint8Array(1) });
    await client.files.get('file_id');
    await client.files.delete('file_id');
    await client.webhookEndpoints.create({ url: 'https://example.com' });
    await drain(client.webhookEndpoints.list());
    await client.webhookEndpoints.get('endpoint_id');
    await client.webhookEndpoints.update('endpoint_id', { description: null });
    await client.webhookEndpoints.rotateSecret('endpoint_id');
    await client.webhookEndpoints.enable('endpoint_id');
    await client.webhookEndpoints.disable('endpoint_id');
    await client.webhookEndpoints.ping('endpoint_id');
    await client.webhookEndpoints.delete('endpoint_id');
    await client.recoveries.start('endpoint_id', { since: '2026-11-01T00:00:00Z' });
    await drain(client.recoveries.list('endpoint_id'));
    await client.recoveries.get('endpoint_id', 'recovery_id');
    await client.recoveries.cancel('endpoint_id', 'recovery_id');
    await drain(client.deliveries.list());
    await client.deliveries.get('delivery_id');
    await client.deliveries.redeliver('delivery_id');
    await drain(client.events.list());
    await client.events.get('event_id');
    await client.usage();
    await client.apiKeys.create({ name: 'a', scopes: ['admin'] });
    await drain(client.apiKeys.list());
    await client.apiKeys.revoke('key_id');

    const calls = sent.map(({ method, path }) => `${method} ${path}`);
    const declared = Object.values(routes).map(
      ({ method, path }) => `${method} ${path.replaceAll(':', '').replace('/index', '/0')}`,
    );
    expect(calls.sort()).toEqual(declared.sort());
    const isKeyed = new Set(sent.map(({ method, key }) => `${method} ${key === null ? 'without' : 'with'} key`));
    expect(isKeyed).toEqual(new Set(['POST with key', 'GET without key', 'PATCH without key', 'DELETE without key']));
    expect(new Set(sent.filter(({ key }) => key !== null).map(({ key }) => key)).size).toBe(
      sent.filter(({ method }) => method === 'POST').length,
    );
  });

  it('tells under which key a request was sent', async () => {
    const made = await client.jobs.create(job);
    const given = await client.jobs.createWithFiles({ operation: 'merge' }, [], { idempotencyKey: 'order-42' });
    expect(sent.map(({ key }) => key)).toEqual([made.idempotencyKey, 'order-42']);
    expect(given.idempotencyKey).toBe('order-42');
  });

  it('asks the service to wait', async () => {
    await client.jobs.create(job, { wait: 30 });
    await client.jobs.create(job);
    expect(sent.map(({ prefer }) => prefer)).toEqual(['wait=30', null]);
  });

  it('needs a URL and limits that can be kept', () => {
    expect(() => new PdfonceClient({ url: 'nowhere', apiKey: 'a' })).toThrow('Invalid URL');
    expect(() => new PdfonceClient({ url: 'http://a', apiKey: 'a', timeoutMs: 0 })).toThrow(RangeError);
  });
});
