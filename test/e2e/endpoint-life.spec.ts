import type { JobView } from '#libs/domain';
import type { ApiAnswer, ApiClient } from '../support/api-client.js';
import { eventually } from '../support/eventually.js';
import { samplePdf } from '../support/pdf-samples.js';
import { verified } from '../support/webhook-receiver.js';
import { Service, startTimeoutMs } from './service.js';

interface Secret {
  readonly id: string;
  readonly created_at: string;
  readonly expires_at: string | null;
}

interface Endpoint {
  readonly id: string;
  readonly url: string;
  readonly secret?: string;
  readonly state: string;
  readonly secrets: readonly Secret[];
  readonly [name: string]: unknown;
}

interface Delivery {
  readonly id: string;
  readonly event_id: string;
  readonly state: string;
  readonly attempts: readonly { readonly outcome: string; readonly duration_ms: number | null }[];
}

const dayMs = 86_400_000;

describe('the life of a webhook endpoint', () => {
  const rule = (title: string, check: () => Promise<void>) => it(title, check, 30_000);
  let service: Service;
  let client: ApiClient;

  beforeAll(async () => {
    service = await Service.start({ apis: 1, env: { WEBHOOK_ALLOW: '127.0.0.1' } });
  }, startTimeoutMs);

  afterAll(() => service?.stop(), 30_000);

  beforeEach(async () => {
    client = await service.newAccount();
    service.receiver.respond([200]);
  });

  async function create(given: object = {}): Promise<Endpoint & { readonly path: string }> {
    const answer = await client.createEndpoint({ url: `${service.receiver.url}${client.apiKey.slice(-6)}`, ...given });
    expect(answer.status).toBe(201);
    const endpoint = answer.json<Endpoint>();
    return { ...endpoint, path: `/v1/webhook-endpoints/${endpoint.id}` };
  }

  async function read({ path }: { readonly path: string }): Promise<Endpoint> {
    return (await client.get(path)).json<Endpoint>();
  }

  async function merge(): Promise<JobView> {
    const answer = await client.submitFiles([{ name: 'a.pdf', bytes: await samplePdf([100]) }]);
    return client.endedJob(answer.json<JobView>().id);
  }

  async function received(text: string) {
    return eventually(() => service.receiver.received(({ body }) => body.includes(text)).at(0), {
      describe: `a request with ${text}`,
    });
  }

  describe('PATCH', () => {
    rule('changes what it names and nothing else; null takes a member away (contract 4.1)', async () => {
      const endpoint = await create({
        description: 'billing',
        headers: { 'X-Team': 'billing', Authorization: 'Bearer of-a-receiver' },
        metadata: { team: 'billing', tier: 'gold' },
        event_types: ['job.*'],
      });
      const shown = await read(endpoint);
      expect((await client.patch(endpoint.path, {})).json()).toEqual(shown);
      const patched = await client.patch(endpoint.path, {
        event_types: ['job.completed'],
        headers: { 'x-team': null, 'X-Other': 'a' },
        metadata: { tier: null, region: 'eu' },
        retry_schedule: [1, 2, 3],
      });
      expect(patched.status).toBe(200);
      const expected = {
        ...shown,
        event_types: ['job.completed'],
        headers: { Authorization: '***', 'X-Other': '***' },
        metadata: { team: 'billing', region: 'eu' },
        retry_schedule: [1, 2, 3],
      };
      expect(patched.json()).toEqual(expected);
      expect(await read(endpoint)).toEqual(expected);
      const none = { event_types: null, description: null, headers: null, metadata: null, retry_schedule: null };
      expect((await client.patch(endpoint.path, none)).json()).toEqual({
        ...shown,
        ...{ event_types: ['*'], description: null, headers: {}, metadata: {}, retry_schedule: null },
      });
    });

    rule('counts for the next attempt: another URL and another header', async () => {
      const endpoint = await create({ headers: { 'X-Team': 'old' } });
      const url = `${endpoint.url}-moved`;
      await client.patch(endpoint.path, { url, headers: { 'x-team': 'new' } });
      const job = await merge();
      const request = await received(job.id);
      expect(new URL(request?.path ?? '', service.receiver.url).href).toBe(url);
      expect(request?.headers['x-team']).toBe('new');
    });

    rule('refuses what creating would, names it, and changes nothing (contract 4.1, 6.2)', async () => {
      const endpoint = await create({
        metadata: Object.fromEntries(Array.from({ length: 20 }, (_, n) => [`m${n}`, ''])),
      });
      const before = await read(endpoint);
      const cases: readonly (readonly [object, string, string])[] = [
        [{ url: null }, '/url', 'invalid_request'],
        [{ url: 'https://10.0.0.1/' }, '/url', 'endpoint_address_refused'],
        [{ url: 'https://user:pass@example.com/' }, '/url', 'endpoint_address_refused'],
        [{ event_types: ['job.exploded'] }, '/event_types/0', 'invalid_request'],
        [{ headers: { 'webhook-id': 'mine' } }, '/headers/webhook-id', 'invalid_request'],
        [{ headers: { 'X-A': '1', 'x-a': '2' } }, '/headers', 'invalid_request'],
        [{ metadata: { one_more: '' } }, '/metadata', 'invalid_request'],
        [{ retry_schedule: [] }, '/retry_schedule', 'invalid_request'],
        [{ retry_schedule: [0] }, '/retry_schedule/0', 'invalid_request'],
        [{ retry_schedule: [86_401] }, '/retry_schedule/0', 'invalid_request'],
        [{ retry_schedule: Array(20).fill(86_400) }, '/retry_schedule', 'invalid_request'],
        [{ secret: 'whsec_short' }, '/secret', 'invalid_request'],
        [{ state: 'healthy' }, '/state', 'invalid_request'],
      ];
      for (const [patch, pointer, code] of cases) {
        const answer = await client.patch(endpoint.path, patch);
        expect(outcomeOf(answer)).toBe(`400 ${code}`);
        expect(pointersOf(answer)).toContain(pointer);
        expect(answer.body.toString()).not.toContain('pass@');
      }
      expect(await read(endpoint)).toEqual(before);
      expect(outcomeOf(await client.patch('/v1/webhook-endpoints/ep_00000000000000000000000000', {}))).toMatch(/^404/);
    });
  });

  describe('rotating its secret', () => {
    rule('shows the new one once, and both sign until the overlap is over (contract 4.1)', async () => {
      const endpoint = await create();
      const rotated = await client.post(`${endpoint.path}/rotate-secret`, undefined, { key: 'rotate' });
      expect(rotated.status).toBe(200);
      const { secret = '', secrets } = rotated.json<Endpoint>();
      expect(secret).toMatch(/^whsec_/);
      expect(secrets.map(({ expires_at }) => expires_at === null)).toEqual([true, false]);
      const overlapMs = Date.parse(secrets[1]?.expires_at ?? '') - Date.now();
      expect(Math.abs(overlapMs - dayMs)).toBeLessThan(10_000);
      expect((await read(endpoint)).secret).toBeUndefined();
      const job = await merge();
      const request = await received(job.id);
      if (request === undefined) throw new Error('nothing came');
      for (const each of [secret, endpoint.secret ?? '']) expect(verified(each)(request)).toBeDefined();
    });

    rule('is done once for one key, and its replay has the same secret', async () => {
      const endpoint = await create();
      const rotate = () => client.post(`${endpoint.path}/rotate-secret`, { overlap_seconds: 60 }, { key: 'once' });
      const [first, second] = [await rotate(), await rotate()];
      expect(second.body).toEqual(first.body);
      expect(second.headers.get('idempotent-replayed')).toBe('true');
      expect((await read(endpoint)).secrets).toHaveLength(2);
      const other = await client.post(`${endpoint.path}/rotate-secret`, { overlap_seconds: 61 }, { key: 'once' });
      expect(outcomeOf(other)).toBe('409 idempotency_key_reused');
    });

    rule('without an overlap ends the old one at once', async () => {
      const endpoint = await create();
      const rotated = await client.post(`${endpoint.path}/rotate-secret`, { overlap_seconds: 0 });
      const { secret = '', secrets } = rotated.json<Endpoint>();
      expect(secrets).toHaveLength(1);
      const request = await received((await merge()).id);
      if (request === undefined) throw new Error('nothing came');
      expect(verified(secret)(request)).toBeDefined();
      expect(() => verified(endpoint.secret ?? '')(request)).toThrow();
    });

    rule('never lets an old one sign for longer than it had, and leaves at most five that sign', async () => {
      const endpoint = await create();
      const rotate = (overlap_seconds: number) => client.post(`${endpoint.path}/rotate-secret`, { overlap_seconds });
      const { secrets } = (await rotate(60)).json<Endpoint>();
      for (let round = 0; round < 3; round += 1) expect((await rotate(3_600)).status).toBe(200);
      const live = (await read(endpoint)).secrets;
      expect(live).toHaveLength(5);
      expect(live.at(-1)).toEqual(secrets[1]);
      expect(outcomeOf(await rotate(3_600))).toBe('422 secret_limit_reached');
      expect((await read(endpoint)).secrets).toEqual(live);
      expect((await rotate(0)).json<Endpoint>().secrets).toHaveLength(1);
    });

    rule('refuses an overlap or a field that there is not, and stores nothing (contract 6.2)', async () => {
      const endpoint = await create();
      for (const body of [{ overlap_seconds: -1 }, { overlap_seconds: 604_801 }, { secret: 'whsec_AAAA' }, [1]])
        expect(outcomeOf(await client.post(`${endpoint.path}/rotate-secret`, body))).toBe('400 invalid_request');
      expect((await read(endpoint)).secrets).toEqual(endpoint.secrets);
    });
  });

  describe('disabling and enabling', () => {
    rule('stops deliveries, tells the others once, and lets later events come again (contract 4.7)', async () => {
      const endpoint = await create({ event_types: ['job.*'] });
      const other = await create({ url: `${service.receiver.url}other`, event_types: ['endpoint.*'] });
      const disabled = await client.post(`${endpoint.path}/disable`, undefined, { key: 'off' });
      expect(disabled.status).toBe(200);
      expect(disabled.json()).toMatchObject({ state: 'disabled', disabled_reason: 'requested' });
      const again = await client.post(`${endpoint.path}/disable`, {}, { key: 'off again' });
      expect(again.body).toEqual(disabled.body);
      expect(JSON.parse((await received(endpoint.id))?.body.toString() ?? '')).toMatchObject({
        type: 'endpoint.disabled',
        data: { id: endpoint.id, state: 'disabled', reason: 'requested', sequence: 1 },
      });
      const missed = await merge();
      const enabled = await client.post(`${endpoint.path}/enable`, undefined);
      expect(enabled.json()).toMatchObject({ state: 'healthy', disabled_reason: null, disabled_at: null });
      expect((await client.post(`${endpoint.path}/enable`, undefined)).body).toEqual(enabled.body);
      const job = await merge();
      await received(job.id);
      expect(service.receiver.received(({ body }) => body.includes(missed.id))).toEqual([]);
      const states = (await client.list<Delivery>('/v1/deliveries', { endpoint_id: endpoint.id })).map((d) => d.state);
      expect(states).toContain('skipped');
      expect(await client.list('/v1/deliveries', { endpoint_id: other.id })).toHaveLength(1);
    });

    rule('takes no body and no unknown endpoint', async () => {
      const endpoint = await create();
      for (const verb of ['enable', 'disable', 'ping']) {
        expect(outcomeOf(await client.post(`${endpoint.path}/${verb}`, { now: true }))).toBe('400 invalid_request');
        const unknown = `/v1/webhook-endpoints/ep_00000000000000000000000000/${verb}`;
        expect(outcomeOf(await client.post(unknown, undefined))).toBe('404 not_found');
      }
      const stranger = await service.newAccount();
      for (const verb of ['enable', 'disable', 'ping', 'rotate-secret'])
        expect(outcomeOf(await stranger.post(`${endpoint.path}/${verb}`, undefined))).toBe('404 not_found');
      expect(outcomeOf(await stranger.patch(endpoint.path, {}))).toBe('404 not_found');
    });
  });

  describe('a ping', () => {
    rule('goes to this endpoint alone, whatever it selects, and is answered with its delivery', async () => {
      const endpoint = await create({ event_types: ['job.failed'] });
      await create({ url: `${service.receiver.url}everything`, event_types: ['*'] });
      const answer = await client.post(`${endpoint.path}/ping`, undefined, { key: 'ping' });
      expect(answer.status).toBe(202);
      const delivery = answer.json<Delivery>();
      expect(answer.headers.get('location')).toBe(`/v1/deliveries/${delivery.id}`);
      expect(delivery).toMatchObject({ event_type: 'webhook.ping', endpoint_id: endpoint.id, state: 'pending' });
      const request = await received(delivery.event_id);
      if (request === undefined) throw new Error('nothing came');
      expect(verified(endpoint.secret ?? '')(request)).toMatchObject({
        type: 'webhook.ping',
        data: { id: endpoint.id, object: 'webhook_endpoint' },
      });
      expect((await client.post(`${endpoint.path}/ping`, undefined, { key: 'ping' })).body).toEqual(answer.body);
      expect(await client.list('/v1/deliveries', { event_id: delivery.event_id })).toHaveLength(1);
      expect(await client.list('/v1/events')).toHaveLength(1);
    });

    rule('with Prefer: wait is answered when its first attempt has ended, however it did', async () => {
      const endpoint = await create();
      const good = await client.post(`${endpoint.path}/ping`, undefined, { wait: 20 });
      expect(good.status).toBe(200);
      expect(good.headers.get('preference-applied')).toBe('wait=20');
      expect(good.json()).toMatchObject({ state: 'delivered', attempts: [{ number: 1, outcome: 'delivered' }] });
      service.receiver.respond([{ status: 500, body: 'broken' }]);
      const bad = await client.post(`${endpoint.path}/ping`, undefined, { wait: 20 });
      expect(bad.status).toBe(200);
      expect(bad.json()).toMatchObject({
        state: 'pending',
        attempts: [{ number: 1, outcome: 'server_error', status_code: 500, response_body: 'broken' }],
      });
    });

    rule('with Prefer: wait that is too short is answered with the delivery as it was made', async () => {
      service.receiver.respond([{ status: 200, delayMs: 4_000 }]);
      const endpoint = await create();
      const answer = await client.post(`${endpoint.path}/ping`, undefined, { wait: 1 });
      expect(answer.status).toBe(202);
      expect(answer.json()).toMatchObject({ state: 'pending', attempts: [] });
    });

    rule('of a disabled endpoint is refused', async () => {
      const endpoint = await create();
      await client.post(`${endpoint.path}/disable`, undefined);
      expect(outcomeOf(await client.post(`${endpoint.path}/ping`, undefined))).toBe('409 endpoint_disabled');
      const types = (await client.list<{ type: string }>('/v1/events')).map(({ type }) => type);
      expect(types).toEqual(['endpoint.disabled']);
    });
  });

  rule('an unknown event type is refused, and the answer names it and those there are (contract 4.1)', async () => {
    const answer = await client.createEndpoint({ url: service.receiver.url, event_types: ['job.*', 'jobs.done'] });
    expect(outcomeOf(answer)).toBe('400 invalid_request');
    expect(pointersOf(answer)).toEqual(['/event_types/1']);
    expect(answer.body.toString()).toContain('webhook.ping');
  });

  rule('no value of a header and no secret is in an answer, an event or the log (contract 4.1)', async () => {
    const value = 'of-a-receiver-4711';
    const headers = { AUTHORIZATION: `Bearer ${value}`, 'Set-Cookie': value, 'x-api-key': value };
    const endpoint = await create({ headers });
    service.receiver.respond([500]);
    const ping = await client.post(`${endpoint.path}/ping`, undefined, { wait: 20 });
    await client.post(`${endpoint.path}/disable`, undefined);
    const answers = [
      ...[ping, await client.get(endpoint.path), await client.get('/v1/webhook-endpoints')],
      ...[await client.get('/v1/events'), await client.get('/v1/deliveries')],
      ...[await client.patch(endpoint.path, { headers: { 'x-api-key': `${value}\n` } })],
    ];
    const secret = endpoint.secret?.slice('whsec_'.length) ?? '';
    const logs = ['api-1', 'dispatcher-1'].flatMap((name) =>
      service.cluster.process(name).logs.map(({ text }) => text),
    );
    for (const text of [...answers.map(({ body }) => body.toString()), ...logs]) {
      expect(text).not.toContain(value);
      expect(text).not.toContain(secret);
    }
    const sent = service.receiver.received(({ body }) => body.includes(ping.json<Delivery>().event_id));
    expect(sent[0]?.headers['x-api-key']).toBe(value);
  });
});

function outcomeOf(answer: ApiAnswer): string {
  return `${answer.status} ${answer.status < 400 ? '' : answer.json<{ code: string }>().code}`;
}

function pointersOf(answer: ApiAnswer): string[] {
  return answer.json<{ errors?: { pointer: string }[] }>().errors?.map(({ pointer }) => pointer) ?? [];
}
