import type { JobView } from '#libs/domain';
import type { ApiAnswer, ApiClient } from '../support/api-client.js';
import { eventually } from '../support/eventually.js';
import { samplePdf } from '../support/pdf-samples.js';
import type { ReceivedRequest } from '../support/webhook-receiver.js';
import { Service, startTimeoutMs } from './service.js';

interface Named {
  readonly id: string;
}

interface Delivery extends Named {
  readonly state: string;
  readonly event_id: string;
  readonly redelivery_of: string | null;
}

interface Recovery extends Named {
  readonly state: string;
  readonly progress: { readonly events: number; readonly rearmed: number; readonly inserted: number };
}

const longAgo = '2026-01-01T00:00:00Z';

describe('sending again', () => {
  const rule = (title: string, check: () => Promise<void>) => it(title, check, 60_000);
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

  async function merge(): Promise<JobView> {
    const answer = await client.submitFiles([{ name: 'a.pdf', bytes: await samplePdf([100]) }]);
    return client.endedJob(answer.json<JobView>().id);
  }

  async function newEndpoint(path = 'hook'): Promise<string> {
    const url = `${service.receiver.url}${path}`;
    return (await client.createEndpoint({ url, event_types: ['job.*'] })).json<Named>().id;
  }

  function requestsOf({ id }: Named): ReceivedRequest[] {
    return service.receiver.received(({ body }) => body.includes(id));
  }

  async function receivedTimes(job: Named, times: number): Promise<void> {
    await eventually(() => requestsOf(job).length === times, { withinMs: 20_000, describe: `${times} requests` });
  }

  /** The deliveries to an endpoint once they have this state. */
  async function deliveriesThatAre(state: string, endpointId: string, most = 1): Promise<Delivery[]> {
    const inState = () => client.list<Delivery>('/v1/deliveries', { endpoint_id: endpointId, state });
    await eventually(async () => (await inState()).length === most, { withinMs: 20_000, describe: `${most} ${state}` });
    return inState();
  }

  async function recover(endpointId: string, body: object = { since: longAgo }): Promise<Recovery> {
    const answer = await client.post(`/v1/webhook-endpoints/${endpointId}/recover`, body);
    expect(answer.status).toBe(202);
    const path = answer.headers.get('location') ?? '';
    expect(path).toBe(`/v1/webhook-endpoints/${endpointId}/recoveries/${answer.json<Recovery>().id}`);
    const read = async () => (await client.get(path)).json<Recovery>();
    await eventually(async () => (await read()).state !== 'running', { withinMs: 30_000, describe: 'its end' });
    return read();
  }

  rule('a delivery twice makes two more requests with the same event id and body (contract 4.8, 3.3)', async () => {
    const endpoint = await newEndpoint();
    const job = await merge();
    const [delivered] = await deliveriesThatAre('delivered', endpoint);
    const path = `/v1/deliveries/${delivered?.id}/redeliver`;
    const answer = await client.send('POST', path, { headers: { 'idempotency-key': 'again-1' } });
    expect(answer.status).toBe(202);
    const made = answer.json<Delivery>();
    expect(answer.headers.get('location')).toBe(`/v1/deliveries/${made.id}`);
    expect(made).toMatchObject({ state: 'pending', redelivery_of: delivered?.id, event_id: delivered?.event_id });
    const replay = await client.send('POST', path, { headers: { 'idempotency-key': 'again-1' } });
    expect([replay.headers.get('idempotent-replayed'), replay.body]).toEqual(['true', answer.body]);
    await receivedTimes(job, 2);
    expect((await client.post(path, {})).status).toBe(202);
    await receivedTimes(job, 3);
    const requests = requestsOf(job);
    expect(new Set(requests.map(({ headers }) => headers['webhook-id'])).size).toBe(1);
    expect(new Set(requests.map(({ body }) => body.toString('utf8'))).size).toBe(1);
    expect(new Set(requests.map(({ headers }) => headers['pdfonce-delivery-id'])).size).toBe(3);
    expect(await deliveriesThatAre('delivered', endpoint, 3)).toHaveLength(3);
  });

  rule('a delivery is refused when its endpoint is deleted, and nothing is taken with it', async () => {
    const endpoint = await newEndpoint();
    await merge();
    const [delivered] = await deliveriesThatAre('delivered', endpoint);
    const path = `/v1/deliveries/${delivered?.id}/redeliver`;
    expect(outcomeOf(await client.post(path, { at: 'once' }))).toBe('400 invalid_request');
    expect(outcomeOf(await client.post('/v1/deliveries/dlv_0/redeliver', {}))).toBe('404 not_found');
    const stranger = await service.newAccount();
    expect(outcomeOf(await stranger.post(path, {}))).toBe('404 not_found');
    await client.delete(`/v1/webhook-endpoints/${endpoint}`);
    expect(outcomeOf(await client.post(path, {}))).toBe('409 endpoint_deleted');
  });

  rule('what happened before there was an endpoint is found, and sent once (contract 4.8)', async () => {
    const [before, alsoBefore] = [await merge(), await merge()];
    const undelivered = () => client.list<Named>('/v1/events', { undelivered: 'true' });
    expect(await undelivered()).toHaveLength(2);
    const endpoint = await newEndpoint();
    const toIt = () => client.list<Named>('/v1/events', { undelivered: 'true', endpoint_id: endpoint });
    expect((await toIt()).map(({ id }) => id)).toEqual((await undelivered()).map(({ id }) => id));
    expect(await recover(endpoint)).toMatchObject({ state: 'completed', progress: { events: 2, inserted: 2 } });
    await receivedTimes(before, 1);
    await receivedTimes(alsoBefore, 1);
    await deliveriesThatAre('delivered', endpoint, 2);
    expect([await undelivered(), await toIt()]).toEqual([[], []]);
    expect(await recover(endpoint)).toMatchObject({
      state: 'completed',
      progress: { events: 2, rearmed: 0, inserted: 0 },
    });
    expect([requestsOf(before).length, requestsOf(alsoBefore).length]).toEqual([1, 1]);
    expect(await client.list(`/v1/webhook-endpoints/${endpoint}/recoveries`)).toHaveLength(2);
  });

  rule('is not possible to an endpoint that is disabled, whose events are kept as skipped (contract 4.8)', async () => {
    const endpoint = await newEndpoint('gone');
    service.receiver.respond([410]);
    await merge();
    const [exhausted] = await deliveriesThatAre('exhausted', endpoint);
    await merge();
    await deliveriesThatAre('skipped', endpoint);
    const path = `/v1/webhook-endpoints/${endpoint}/recover`;
    expect(outcomeOf(await client.post(path, { since: longAgo }))).toBe('409 endpoint_disabled');
    expect(outcomeOf(await client.post(`/v1/deliveries/${exhausted?.id}/redeliver`, {}))).toBe('409 endpoint_disabled');
    expect(await client.list('/v1/events', { undelivered: 'true', endpoint_id: endpoint })).toHaveLength(2);
  });

  rule('names what is wrong with a request for it (contract 6.2)', async () => {
    const endpoint = await newEndpoint();
    const path = `/v1/webhook-endpoints/${endpoint}/recover`;
    const cases: readonly (readonly [object, string])[] = [
      [{}, '/since'],
      [{ since: 'yesterday' }, '/since'],
      [{ since: longAgo, until: 'now' }, '/until'],
      [{ since: longAgo, until: longAgo }, '/until'],
      [{ since: longAgo, states: [] }, '/states'],
      [{ since: longAgo, states: ['delivered'] }, '/states/0'],
      [{ since: longAgo, all: true }, '/all'],
    ];
    for (const [body, pointer] of cases) {
      const answer = await client.post(path, body);
      expect(outcomeOf(answer)).toBe('400 invalid_request');
      expect(answer.json<{ errors: { pointer: string }[] }>().errors.map((error) => error.pointer)).toContain(pointer);
    }
    expect(outcomeOf(await client.post('/v1/webhook-endpoints/ep_0/recover', { since: longAgo }))).toBe(
      '404 not_found',
    );
    expect(outcomeOf(await client.get('/v1/events?undelivered=true&order=asc'))).toBe('400 invalid_request');
    expect(outcomeOf(await client.get(`/v1/events?endpoint_id=${endpoint}`))).toBe('400 invalid_request');
    expect(outcomeOf(await client.get(`/v1/webhook-endpoints/${endpoint}/recoveries/rec_0`))).toBe('404 not_found');
    const { id } = await recover(endpoint);
    const cancel = `/v1/webhook-endpoints/${endpoint}/recoveries/${id}/cancel`;
    expect(outcomeOf(await client.post(cancel, {}))).toBe('409 recovery_finished');
  });
});

function outcomeOf(answer: ApiAnswer): string {
  return `${answer.status} ${answer.json<{ code: string }>().code}`;
}
