import { randomBytes } from 'node:crypto';
import { setTimeout as pause } from 'node:timers/promises';
import { SecretKeyring, typeId, uuidOf } from '#libs/domain';
import { Database } from '#libs/persistence';
import { WebhookRecords } from '../dispatcher/webhook-records.js';
import type { ApiClient } from '../support/api-client.js';
import { eventually } from '../support/eventually.js';
import { type ReceivedRequest, verified } from '../support/webhook-receiver.js';
import { Service, startTimeoutMs } from './service.js';

interface Endpoint {
  readonly id: string;
  readonly secret: string;
}

const dispatchers = ['dispatcher-1', 'dispatcher-2'];
const betweenEventsMs = 10;

/** Events of an account, one after another, until it is stopped. */
class Traffic {
  readonly #ids: string[] = [];
  #isStopped = false;
  readonly #ended: Promise<void>;

  constructor(records: WebhookRecords, accountId: string) {
    this.#ended = this.#run(records, accountId);
  }

  /** The events that are begun from now on; the one that is being written is none of them. */
  fromNow(): () => readonly string[] {
    const begun = this.#ids.length + 1;
    return () => this.#ids.slice(begun);
  }

  async stop(): Promise<void> {
    this.#isStopped = true;
    await this.#ended;
  }

  async #run(records: WebhookRecords, accountId: string): Promise<void> {
    while (!this.#isStopped) {
      this.#ids.push(typeId('evt', (await records.event(accountId)).id));
      await pause(betweenEventsMs);
    }
  }
}

describe('a change of an endpoint, under steady traffic and with two dispatchers', () => {
  const rule = (title: string, check: () => Promise<void>) => it(title, check, 60_000);
  let service: Service;
  let database: Database;
  let client: ApiClient;
  let endpoint: Endpoint;
  let records: WebhookRecords;
  let accountId: string;
  let traffic: Traffic;

  beforeAll(async () => {
    service = await Service.start({ apis: 1, workers: 0, dispatchers: 2 });
    database = new Database({ url: service.cluster.databaseUrl, purpose: 'work', poolSize: 2 });
    records = new WebhookRecords(
      database,
      SecretKeyring.parse(`k1:${Buffer.alloc(32).toString('base64')}`, randomBytes),
    );
  }, startTimeoutMs);

  afterAll(async () => {
    await database?.close();
    await service?.stop();
  }, 30_000);

  beforeEach(async () => {
    client = await service.newAccount();
    endpoint = (await client.createEndpoint({ url: `${service.receiver.url}changed` })).json<Endpoint>();
    await client.createEndpoint({ url: `${service.receiver.url}witness` });
    const [row] = await records.run<{ id: string }>('SELECT account_id AS id FROM webhook_endpoints WHERE id = $1', [
      uuidOf('ep', endpoint.id),
    ]);
    accountId = row?.id ?? '';
    traffic = new Traffic(records, accountId);
    const before = traffic.fromNow();
    await eventually(() => isSentByEach(requestsOf(before())), { withinMs: 20_000, describe: 'traffic' });
  }, 30_000);

  afterEach(() => traffic.stop());

  const path = (...words: string[]) => ['/v1/webhook-endpoints', endpoint.id, ...words].join('/');

  function requestsOf(ids: readonly string[], prefix = '/changed'): ReceivedRequest[] {
    const wanted = new Set(ids);
    return service.receiver.received(
      (request) => request.path.startsWith(prefix) && wanted.has(String(request.headers['webhook-id'])),
    );
  }

  /** Whether each dispatcher has sent several of the requests. */
  function isSentByEach(requests: readonly ReceivedRequest[]): boolean {
    const wanted = new Set(requests.map(({ headers }) => headers['pdfonce-delivery-id']));
    return dispatchers.every((name) => {
      const { logs } = service.cluster.process(name);
      const sent = logs.filter(
        ({ fields }) => fields?.['msg'] === 'delivery.attempted' && wanted.has(fields['deliveryId'] as string),
      );
      return sent.length >= 5;
    });
  }

  /** The requests for events that were begun after this moment, when each dispatcher has sent several. */
  async function requestsFromNow(prefix = '/changed'): Promise<ReceivedRequest[]> {
    const after = traffic.fromNow();
    await eventually(() => isSentByEach(requestsOf(after(), prefix)), { withinMs: 20_000, describe: 'later requests' });
    return requestsOf(after(), prefix);
  }

  rule('a rotated secret signs the first event after the rotation, on every replica (contract 4.1)', async () => {
    const first = (await client.post(path('rotate-secret'), { overlap_seconds: 600 })).json<Endpoint>().secret;
    for (const request of await requestsFromNow())
      for (const secret of [first, endpoint.secret]) expect(verified(secret)(request)).toBeDefined();
    const second = (await client.post(path('rotate-secret'), { overlap_seconds: 0 })).json<Endpoint>().secret;
    for (const request of await requestsFromNow()) {
      expect(verified(second)(request)).toBeDefined();
      for (const secret of [first, endpoint.secret]) expect(() => verified(secret)(request)).toThrow();
    }
  });

  rule('another URL and another header count for the first event after the change', async () => {
    await client.patch(path(), { url: `${service.receiver.url}moved`, headers: { 'X-Team': 'new' } });
    const after = traffic.fromNow();
    for (const { headers } of await requestsFromNow('/moved')) expect(headers['x-team']).toBe('new');
    expect(requestsOf(after())).toEqual([]);
  });

  rule('a disabled endpoint gets no event that comes later, and an enabled one gets the next', async () => {
    await client.post(path('disable'), undefined);
    const after = traffic.fromNow();
    await requestsFromNow('/witness');
    expect(requestsOf(after())).toEqual([]);
    await client.post(path('enable'), undefined);
    expect((await requestsFromNow()).length).toBeGreaterThan(0);
  });

  rule('a deleted endpoint gets no event that comes later', async () => {
    expect((await client.delete(path())).status).toBe(204);
    const after = traffic.fromNow();
    await requestsFromNow('/witness');
    expect(requestsOf(after())).toEqual([]);
  });

  rule('deleting it with 1,000 queued deliveries cancels them, without errors, and its sibling goes on', async () => {
    await traffic.stop();
    const queued = 1_000;
    await records.run(
      `WITH event AS (
         INSERT INTO events (id, account_id, type, job_id, body, occurred_at)
         SELECT new_uuid_v7(), $1, 'job.completed', new_uuid_v7(), '{}', now() FROM generate_series(1, $3::integer)
         RETURNING id
       )
       INSERT INTO deliveries (id, account_id, event_id, endpoint_id, state, next_attempt_at)
       SELECT new_uuid_v7(), $1, id, $2, 'pending', now() + interval '1 hour' FROM event`,
      [accountId, uuidOf('ep', endpoint.id), queued],
    );
    expect((await client.delete(path())).status).toBe(204);
    const cancelled = async () => {
      const deliveries = await records.deliveries(uuidOf('ep', endpoint.id) ?? '');
      expect(deliveries.filter(({ state }) => state === 'exhausted' || state === 'skipped')).toEqual([]);
      return deliveries.filter(({ state, attempt }) => state === 'cancelled' && attempt === 0).length;
    };
    await eventually(async () => (await cancelled()) >= queued, {
      withinMs: 20_000,
      everyMs: 200,
      describe: 'the end of all',
    });
    traffic = new Traffic(records, accountId);
    expect((await requestsFromNow('/witness')).length).toBeGreaterThan(0);
    for (const name of dispatchers) {
      const levels = service.cluster.process(name).logs.map(({ fields }) => Number(fields?.['level'] ?? 0));
      expect(Math.max(...levels)).toBeLessThan(40);
    }
  });
});
