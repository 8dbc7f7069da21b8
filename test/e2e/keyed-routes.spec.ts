import { type Route, routes } from '#libs/contract';
import type { ApiAnswer, ApiClient } from '../support/api-client.js';
import { readyLine } from '../support/cluster.js';
import { eventually } from '../support/eventually.js';
import { likeness } from '../support/likeness.js';
import { samplePdf } from '../support/pdf-samples.js';
import { Service, startTimeoutMs } from './service.js';

interface Sample {
  readonly path: string;
  /** Left out where the first request has no body. */
  readonly body?: object | (() => FormData);
}

interface Sent {
  readonly route: string;
  readonly sample: Sample;
  readonly first: ApiAnswer;
}

interface Named {
  readonly id: string;
}

const posts = Object.values<Route>(routes).filter(({ method }) => method === 'POST');

describe('every POST', () => {
  const rule = (title: string, check: () => Promise<void>) => it(title, check, 60_000);
  let service: Service;
  let client: ApiClient;
  let bytes: Uint8Array;
  const sent: Sent[] = [];

  beforeAll(async () => {
    // Without a worker no job ends, so each batch can be cancelled.
    [service, bytes] = await Promise.all([Service.start({ apis: 1, workers: 0 }), samplePdf([100])]);
    client = await service.newAccount();
    service.receiver.respond([200]);
    for (const [route, makeSample] of Object.entries(samples)) {
      const sample = await makeSample();
      sent.push({ route, sample, first: await send(sample, route) });
    }
  }, startTimeoutMs);

  afterAll(() => service?.stop(), 30_000);

  /** One request for each keyed route; it makes what its path names. */
  const samples: Readonly<Record<string, () => Promise<Sample>>> = {
    '/v1/files': async () => ({ path: '/v1/files', body: () => fileForm() }),
    '/v1/jobs': async () => ({ path: '/v1/jobs', body: await job() }),
    '/v1/jobs/:job_id/cancel': async () => ({ path: `/v1/jobs/${await idOf('/v1/jobs', await job())}/cancel` }),
    '/v1/batches': async () => ({ path: '/v1/batches', body: await batch() }),
    '/v1/batches/:batch_id/cancel': async () => ({
      path: `/v1/batches/${await idOf('/v1/batches', await batch())}/cancel`,
    }),
    '/v1/api-keys': async () => ({ path: '/v1/api-keys', body: { name: 'key', scopes: ['jobs:read'] } }),
    '/v1/webhook-endpoints': async () => ({ path: '/v1/webhook-endpoints', body: { url: service.receiver.url } }),
    '/v1/webhook-endpoints/:endpoint_id/rotate-secret': async () => ({
      path: `${await endpoint()}/rotate-secret`,
      body: { overlap_seconds: 60 },
    }),
    '/v1/webhook-endpoints/:endpoint_id/enable': async () => {
      const path = await endpoint();
      expect((await client.post(`${path}/disable`, undefined)).status).toBe(200);
      return { path: `${path}/enable` };
    },
    '/v1/webhook-endpoints/:endpoint_id/disable': async () => ({ path: `${await endpoint()}/disable` }),
    '/v1/webhook-endpoints/:endpoint_id/ping': async () => ({ path: `${await endpoint()}/ping` }),
    '/v1/deliveries/:delivery_id/redeliver': async () => {
      const ping = await client.post(`${await endpoint()}/ping`, undefined, { wait: 20 });
      expect(ping.json()).toMatchObject({ state: 'delivered' });
      return { path: `/v1/deliveries/${ping.json<Named>().id}/redeliver` };
    },
    '/v1/webhook-endpoints/:endpoint_id/recover': async () => ({
      path: `${await endpoint()}/recover`,
      body: { since: '2026-01-01T00:00:00Z' },
    }),
    '/v1/webhook-endpoints/:endpoint_id/recoveries/:recovery_id/cancel': async () => {
      // No step ends the recovery before it is cancelled.
      service.cluster.process('dispatcher-1').kill('SIGSTOP');
      const path = await endpoint();
      const id = await idOf(`${path}/recover`, { since: '2026-01-01T00:00:00Z' });
      return { path: `${path}/recoveries/${id}/cancel` };
    },
  };

  function fileForm(name = 'a.pdf'): FormData {
    const form = new FormData();
    form.set('file', new Blob([new Uint8Array(bytes)], { type: 'application/pdf' }), name);
    return form;
  }

  async function job(): Promise<object> {
    const file = (await client.uploadFile({ name: 'a.pdf', bytes })).json<Named>();
    return { operation: 'merge', inputs: [{ file_id: file.id }] };
  }

  async function batch(): Promise<object> {
    return { items: [{ client_item_id: 'a', ...(await job()) }] };
  }

  async function idOf(path: string, body: object): Promise<string> {
    return (await client.post(path, body)).json<Named>().id;
  }

  async function endpoint(): Promise<string> {
    return `/v1/webhook-endpoints/${await idOf('/v1/webhook-endpoints', { url: service.receiver.url })}`;
  }

  function send({ path, body }: Sample, key?: string): Promise<ApiAnswer> {
    if (typeof body !== 'function') return client.post(path, body, key === undefined ? {} : { key });
    const headers: Record<string, string> = key === undefined ? {} : { 'idempotency-key': key };
    return client.send('POST', path, { headers, body: body() });
  }

  rule('takes an idempotency key, and is walked here (contract 1.1)', async () => {
    expect(posts.filter(({ isKeyed }) => !isKeyed)).toEqual([]);
    expect(Object.keys(samples).sort()).toEqual(posts.map(({ path }) => path).sort());
    expect(sent.map(({ route, first }) => `${route} ${first.status}`)).toEqual(
      sent.map(({ route }) => `${route} ${posts.find(({ path }) => path === route)?.answer.status}`),
    );
  });

  rule('answers its repetition with the first answer, in a message of its own (contract 1.6)', async () => {
    const dateOf = ({ headers }: ApiAnswer) => Date.parse(headers.get('date') ?? '');
    const latest = Math.max(...sent.map(({ first }) => dateOf(first)));
    await eventually(() => Date.now() >= latest + 1_000, { describe: 'the next second' });
    for (const { route, sample, first } of sent) {
      const replay = await send(sample, route);
      expect({ route, ...likeness(replay) }).toEqual({ route, ...likeness(first) });
      expect(first.headers.get('idempotent-replayed')).toBeNull();
      expect(`${route} ${replay.headers.get('idempotent-replayed')}`).toBe(`${route} true`);
      expect(replay.headers.get('set-cookie')).toBeNull();
      expect(dateOf(replay)).toBeGreaterThan(latest);
      expect(replay.headers.get('x-request-id')).toBeTruthy();
      expect(replay.headers.get('x-request-id')).not.toBe(first.headers.get('x-request-id'));
    }
  });

  rule('refuses another body under its key with 409 (contract 1.7)', async () => {
    for (const { route, sample } of sent) {
      const another = typeof sample.body === 'function' ? () => fileForm('b.pdf') : { another: true };
      const answer = await send({ path: sample.path, body: another }, route);
      expect(`${route} ${outcomeOf(answer)}`).toBe(`${route} 409 idempotency_key_reused`);
    }
  });

  rule('is refused without a key where keys are required (contract 1.2)', async () => {
    const api = service.cluster.process('api-1');
    api.kill('SIGKILL');
    await api.exited;
    api.restart({ REQUIRE_IDEMPOTENCY_KEY: 'true' });
    await api.waitForLog(({ fields, pid }) => pid === api.pid && fields?.['msg'] === readyLine, { withinMs: 30_000 });
    for (const { route, sample } of sent) {
      expect(`${route} ${outcomeOf(await send(sample))}`).toBe(`${route} 400 idempotency_key_required`);
    }
  });
});

function outcomeOf(answer: ApiAnswer): string {
  return `${answer.status} ${String(answer.json()['code'])}`;
}
