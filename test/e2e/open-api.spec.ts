import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { aboutRoutes, jobErrors, requestErrors, type Route, type RouteName, routes } from '#libs/contract';
import type { JobView } from '#libs/domain';
import type { ApiAnswer, ApiClient } from '../support/api-client.js';
import { eventually } from '../support/eventually.js';
import { packageRoot } from '../support/package-root.js';
import { samplePdf } from '../support/pdf-samples.js';
import { Service, startTimeoutMs } from './service.js';

interface Described {
  readonly openapi: string;
  readonly paths: Readonly<Record<string, Readonly<Record<string, { responses: Record<string, unknown> }>>>>;
  readonly webhooks: Readonly<Record<string, unknown>>;
}

describe('the API as it describes itself', () => {
  const rule = (title: string, check: () => Promise<void>) => it(title, check, 30_000);
  let service: Service;
  let client: ApiClient;

  beforeAll(async () => {
    service = await Service.start({ apis: 1 });
    client = await service.newAccount();
  }, startTimeoutMs);

  afterAll(() => service?.stop(), 30_000);

  rule('answers every declared route with the declared status and shape', async () => {
    const bytes = await samplePdf([100]);
    const answers: Partial<Record<RouteName, ApiAnswer>> = {};
    answers.createEndpoint = await client.createEndpoint({ url: service.receiver.url });
    answers.uploadFile = await client.uploadFile({ name: 'a.pdf', bytes });
    answers.createApiKey = await client.post('/v1/api-keys', { name: 'a', scopes: ['jobs:read'] });
    answers.createJob = await client.submitFiles([{ name: 'a.pdf', bytes }]);
    const jobId = answers.createJob.json<JobView>().id;
    await client.endedJob(jobId);
    await cancelBoth(answers);
    const delivery = await eventually(async () => {
      const [delivered] = await client.list<{ id: string; event_id: string }>('/v1/deliveries', { state: 'delivered' });
      return delivered;
    });
    await sendAgain(answers, delivery?.id ?? '');
    const ids: Readonly<Record<string, string | undefined>> = {
      job_id: jobId,
      index: '0',
      file_id: answers.uploadFile.json<{ id: string }>().id,
      endpoint_id: answers.createEndpoint.json<{ id: string }>().id,
      delivery_id: delivery?.id,
      event_id: delivery?.event_id,
      batch_id: answers.createBatch?.json<{ id: string }>().id,
      recovery_id: answers.recoverEndpoint?.json<{ id: string }>().id,
      key_id: answers.createApiKey.json<{ id: string }>().id,
    };
    await changeEndpoint(answers, `/v1/webhook-endpoints/${ids['endpoint_id']}`);
    const reads = Object.entries<Route>(routes).filter(([, { method }]) => method === 'GET');
    const deletes = Object.entries<Route>(routes).filter(([, { method }]) => method === 'DELETE');
    for (const [name, { method, path }] of [...reads, ...deletes]) {
      const filled = path.replace(/:(\w+)/g, (_, parameter: string) => ids[parameter] ?? `no-${parameter}`);
      answers[name as RouteName] = await client.send(method, filled);
    }
    // The client holds every answer against the schema of its route.
    const statuses = Object.fromEntries(Object.entries(answers).map(([name, { status }]) => [name, status]));
    expect(statuses).toEqual(
      Object.fromEntries(Object.entries<Route>(routes).map(([name, { answer }]) => [name, answer.status])),
    );
  });

  /** Everything that can be done to an endpoint but deleting it. */
  async function changeEndpoint(answers: Partial<Record<RouteName, ApiAnswer>>, path: string): Promise<void> {
    answers.updateEndpoint = await client.patch(path, { description: 'changed' });
    answers.pingEndpoint = await client.post(`${path}/ping`, undefined);
    answers.rotateEndpointSecret = await client.post(`${path}/rotate-secret`, undefined);
    answers.disableEndpoint = await client.post(`${path}/disable`, undefined);
    answers.enableEndpoint = await client.post(`${path}/enable`, undefined);
  }

  /** Makes a job and a batch that nobody works on, and cancels them. */
  /** A dispatcher that stands still makes no step, so the recovery is there to be cancelled. */
  async function sendAgain(answers: Partial<Record<RouteName, ApiAnswer>>, deliveryId: string): Promise<void> {
    const { id } = answers.createEndpoint?.json<{ id: string }>() ?? {};
    const dispatcher = service.cluster.process('dispatcher-1');
    dispatcher.kill('SIGSTOP');
    const since = '2026-01-01T00:00:00Z';
    answers.recoverEndpoint = await client.post(`/v1/webhook-endpoints/${id}/recover`, { since });
    const recovery = answers.recoverEndpoint.headers.get('location') ?? '';
    answers.cancelRecovery = await client.send('POST', `${recovery}/cancel`);
    dispatcher.kill('SIGCONT');
    answers.redeliver = await client.send('POST', `/v1/deliveries/${deliveryId}/redeliver`);
  }

  async function cancelBoth(answers: Partial<Record<RouteName, ApiAnswer>>): Promise<void> {
    const { id } = answers.uploadFile?.json<{ id: string }>() ?? {};
    const work = { operation: 'merge', inputs: [{ file_id: id }] };
    const worker = service.cluster.process('worker-1');
    worker.kill('SIGSTOP');
    const job = (await client.submit(work)).json<JobView>();
    answers.createBatch = await client.post('/v1/batches', { items: [{ client_item_id: 'a', ...work }] });
    answers.cancelJob = await client.send('POST', `/v1/jobs/${job.id}/cancel`);
    answers.cancelBatch = await client.send('POST', `${answers.createBatch.headers.get('location') ?? ''}/cancel`);
    worker.kill('SIGCONT');
  }

  rule('describes exactly the declared routes, with every status they can have', async () => {
    const document = await described();
    expect(document.openapi).toBe('3.1.0');
    const told = Object.entries(document.paths).flatMap(([path, methods]) =>
      Object.keys(methods).map((method) => `${method.toUpperCase()} ${path.replace(/\{(\w+)\}/g, ':$1')}`),
    );
    const all: readonly Pick<Route, 'method' | 'path'>[] = [...Object.values(routes), ...Object.values(aboutRoutes)];
    const declared = all.map(({ method, path }) => `${method} ${path}`);
    expect(told.sort()).toEqual(declared.sort());
    for (const { method, path, answer, errors } of Object.values<Route>(routes)) {
      const operation = document.paths[path.replace(/:(\w+)/g, '{$1}')]?.[method.toLowerCase()];
      const statuses = [answer.status, ...errors.map((code) => requestErrors[code].status)].map(String);
      expect(Object.keys(operation?.responses ?? {})).toEqual(expect.arrayContaining(statuses));
    }
    expect(Object.keys(document.webhooks)).toEqual(expect.arrayContaining(['job.completed', 'job.failed']));
  });

  rule('shows everybody what docs/asyncapi.json says of the topics (contract 3.6)', async () => {
    const answer = await fetch(`${client.url}/asyncapi.json`);
    expect([answer.status, answer.headers.get('content-type')]).toEqual([200, 'application/json; charset=utf-8']);
    expect(await answer.json()).toEqual(JSON.parse(await readFile(join(packageRoot, 'docs', 'asyncapi.json'), 'utf8')));
  });

  rule('explains every error code at the address that its problem names (contract 6.2)', async () => {
    for (const code of [...Object.keys(requestErrors), ...Object.keys(jobErrors)]) {
      const answer = await client.get(`/docs/errors/${code}`);
      expect(answer.status).toBe(200);
      expect(answer.json()).toMatchObject({ code });
    }
    expect((await client.get('/docs/errors/constructor')).status).toBe(404);
    const problem = (await client.get('/v1/jobs/nonsense')).json<{ type: string }>();
    expect((await client.get(problem.type)).status).toBe(200);
  });

  rule('shows browsers a page that can do nothing, for every error code and for the documentation', async () => {
    const browser = { headers: { accept: 'text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8' } };
    for (const path of ['/docs', '/docs/errors/not_a_pdf', '/docs/errors/rate_limited']) {
      const page = await fetch(`${client.url}${path}`, browser);
      expect(page.status).toBe(200);
      expect(page.headers.get('content-type')).toBe('text/html; charset=utf-8');
      expect(page.headers.get('content-security-policy')).toContain("default-src 'none'");
      expect(await page.text()).toMatch(/^<!doctype html>/);
    }
    const unknown = await fetch(`${client.url}/docs/errors/${encodeURIComponent('<script>')}`, browser);
    expect([unknown.status, unknown.headers.get('content-type')]).toEqual([
      404,
      'application/problem+json; charset=utf-8',
    ]);
  });

  rule('tells without a key whether it lives, is ready, and its metrics', async () => {
    const [alive, ready, metrics] = await Promise.all(
      ['/healthz', '/readyz', '/metrics'].map((path) => fetch(`${client.url}${path}`)),
    );
    expect([alive?.status, ready?.status, metrics?.status]).toEqual([200, 200, 200]);
    await alive?.arrayBuffer();
    expect(await ready?.json()).toMatchObject({ kafka: 'off', missing: [] });
    expect(await metrics?.text()).toContain('pdfonce_http_requests_total{');
  });

  async function described(): Promise<Described> {
    return (await client.get('/openapi.json')).json<Described>();
  }
});
