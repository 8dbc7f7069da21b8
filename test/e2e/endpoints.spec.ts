import type { JobView } from '#libs/domain';
import type { ApiAnswer, ApiClient } from '../support/api-client.js';
import { eventually } from '../support/eventually.js';
import { samplePdf } from '../support/pdf-samples.js';
import { Service, startTimeoutMs } from './service.js';

interface Endpoint {
  readonly id: string;
  readonly secret?: string;
  readonly headers: Readonly<Record<string, string>>;
}

describe('webhook endpoints', () => {
  const rule = (title: string, check: () => Promise<void>) => it(title, check, 30_000);
  let service: Service;
  let client: ApiClient;

  beforeAll(async () => {
    service = await Service.start({ apis: 1, env: { WEBHOOK_ALLOW: '127.0.0.1' } });
  }, startTimeoutMs);

  afterAll(() => service?.stop(), 30_000);

  beforeEach(async () => {
    client = await service.newAccount();
  });

  async function merge(): Promise<JobView> {
    const answer = await client.submitFiles([{ name: 'a.pdf', bytes: await samplePdf([100]) }]);
    return client.endedJob(answer.json<JobView>().id);
  }

  rule('show their secret once, at creation, and never the values of their headers', async () => {
    const request = {
      url: `${service.receiver.url}hook?token=1`,
      event_types: ['job.completed', 'endpoint.*'],
      description: 'billing',
      headers: { Authorization: 'Bearer of-a-receiver', 'X-Team': 'billing' },
      metadata: { team: 'billing' },
    };
    const created = await client.createEndpoint(request);
    expect(created.status).toBe(201);
    const endpoint = created.json<Endpoint>();
    expect(created.headers.get('location')).toBe(`/v1/webhook-endpoints/${endpoint.id}`);
    expect(endpoint.secret).toMatch(/^whsec_[A-Za-z0-9+/]{43}=$/);
    expect(endpoint).toMatchObject({
      ...request,
      headers: { Authorization: '***', 'X-Team': '***' },
      state: 'healthy',
    });
    const { secret, ...shown } = endpoint;
    expect(secret).toBeDefined();
    expect((await client.get(`/v1/webhook-endpoints/${endpoint.id}`)).json()).toEqual(shown);
    expect(await client.list('/v1/webhook-endpoints')).toEqual([shown]);
  });

  rule('that are deleted are gone, and get nothing more', async () => {
    const { id } = (await client.createEndpoint({ url: service.receiver.url })).json<Endpoint>();
    const path = `/v1/webhook-endpoints/${id}`;
    expect((await client.delete(path)).status).toBe(204);
    expect((await client.get(path)).status).toBe(404);
    expect((await client.delete(path)).status).toBe(404);
    expect(await client.list('/v1/webhook-endpoints')).toEqual([]);
    await merge();
    expect(await client.list('/v1/deliveries')).toEqual([]);
  });

  rule('get only the events they name', async () => {
    const failures = (
      await client.createEndpoint({ url: service.receiver.url, event_types: ['job.failed'] })
    ).json<Endpoint>();
    const all = (await client.createEndpoint({ url: service.receiver.url })).json<Endpoint>();
    const job = await merge();
    await eventually(() => service.receiver.received(({ body }) => body.includes(job.id)).length > 0);
    expect(await client.list('/v1/deliveries', { endpoint_id: failures.id })).toEqual([]);
    expect(await client.list('/v1/deliveries', { endpoint_id: all.id })).toHaveLength(1);
  });

  rule('that answer 410 are disabled at once, and another endpoint of the account is told', async () => {
    const gone = (
      await client.createEndpoint({ url: `${service.receiver.url}gone`, event_types: ['job.*'] })
    ).json<Endpoint>();
    await client.createEndpoint({ url: `${service.receiver.url}alive`, event_types: ['endpoint.*'] });
    service.receiver.respond(({ path }) => (path === '/gone' ? 410 : 200));
    await merge();
    const [told] =
      (await eventually(() => {
        const requests = service.receiver.received(({ path, body }) => path === '/alive' && body.includes(gone.id));
        return requests.length > 0 ? requests : undefined;
      })) ?? [];
    expect(JSON.parse(told?.body.toString('utf8') ?? '')).toMatchObject({
      type: 'endpoint.disabled',
      data: { id: gone.id, state: 'disabled', reason: 'gone' },
    });
    expect((await client.get(`/v1/webhook-endpoints/${gone.id}`)).json()).toMatchObject({ state: 'disabled' });
    await merge();
    const states = (await client.list<{ state: string }>('/v1/deliveries', { endpoint_id: gone.id })).map(
      ({ state }) => state,
    );
    expect(states.sort()).toEqual(['exhausted', 'skipped']);
    service.receiver.respond([200]);
  });

  rule('at an address that is not public are refused, however it is written', async () => {
    const urls = [
      'http://10.0.0.1/hook',
      'https://192.168.1.1/hook',
      'https://169.254.169.254/latest/meta-data',
      'https://[::1]/hook',
      'https://[::ffff:10.0.0.1]/hook',
      'https://2130706434/hook',
      'https://0x7f000002/hook',
      'http://93.184.215.14/hook',
      'ftp://127.0.0.1/hook',
      'https://user:password@example.com/hook',
    ];
    for (const url of urls)
      expect(`${url}: ${outcomeOf(await client.createEndpoint({ url }))}`).toBe(`${url}: 400 endpoint_address_refused`);
    expect(await client.list('/v1/webhook-endpoints')).toEqual([]);
  });

  rule('with a field that is wrong are refused, and the field is named (contract 6.2)', async () => {
    const { url } = service.receiver;
    const cases: readonly (readonly [object, string])[] = [
      [{}, '/url'],
      [{ url: 'nonsense' }, '/url'],
      [{ url, event_types: [] }, '/event_types'],
      [{ url, event_types: ['job.exploded'] }, '/event_types/0'],
      [{ url, headers: { 'webhook-id': 'mine' } }, '/headers/webhook-id'],
      [{ url, headers: { 'X-A': 'line\nbreak' } }, '/headers/X-A'],
      [{ url, metadata: { a: 1 } }, '/metadata/a'],
      [{ url, colour: 'red' }, '/colour'],
    ];
    for (const [body, pointer] of cases) {
      const answer = await client.createEndpoint(body);
      expect(outcomeOf(answer)).toBe('400 invalid_request');
      expect(answer.json<{ errors: { pointer: string }[] }>().errors.map((error) => error.pointer)).toContain(pointer);
    }
  });

  rule('are at most fifty for an account (contract 6.1)', async () => {
    const make = () => client.createEndpoint({ url: service.receiver.url });
    const answers = await Promise.all(Array.from({ length: 52 }, make));
    expect(answers.map(outcomeOf).sort()).toEqual([
      ...new Array<string>(50).fill('201 '),
      ...new Array<string>(2).fill('422 endpoint_limit_reached'),
    ]);
    const first = await client.get('/v1/webhook-endpoints?limit=30');
    const { data, next_cursor } = first.json<{ data: Endpoint[]; next_cursor: string }>();
    const rest = await client.list<Endpoint>('/v1/webhook-endpoints', { cursor: next_cursor });
    expect(new Set([...data, ...rest].map(({ id }) => id)).size).toBe(50);
  });
});

function outcomeOf(answer: ApiAnswer): string {
  return `${answer.status} ${answer.status < 400 ? '' : answer.json<{ code: string }>().code}`;
}
