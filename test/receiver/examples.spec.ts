import { randomBytes } from 'node:crypto';
import { webhookHeaders, webhookSecret } from '#libs/domain';
import { freePort } from '../support/free-port.js';
import { startTestPostgres, type TestPostgres } from '../support/postgres.js';
import { exampleNames, ExampleReceivers, type RunningReceiver } from './example-receivers.js';

const [old, fresh] = [webhookSecret(randomBytes), webhookSecret(randomBytes)];
const unixSeconds = () => Math.floor(Date.now() / 1000);

function jobEvent(id: string, note = ''): string {
  const data = { id: `job_of_${id}`, object: 'job', state: 'completed', metadata: { note } };
  return JSON.stringify({ id, type: 'job.completed', timestamp: new Date().toISOString(), data });
}

let postgres: TestPostgres;
let receivers: ExampleReceivers;

beforeAll(async () => {
  [postgres, receivers] = await Promise.all([startTestPostgres(), ExampleReceivers.build()]);
}, 90_000);

afterAll(async () => {
  await receivers?.stop();
  await postgres?.stop();
}, 30_000);

describe.each(exampleNames)('the receiver of the documents (%s)', (name) => {
  let receiver: RunningReceiver;

  beforeAll(async () => {
    const databaseUrl = await postgres.createDatabase();
    receiver = await receivers.start(name, { secret: `${old} ${fresh}`, databaseUrl, port: await freePort() });
  }, 40_000);

  const effects = (id: string) =>
    postgres.query('SELECT state FROM finished_jobs WHERE id = $1', [`job_of_${id}`], receiver.databaseUrl);

  async function send(body: string, headers: Readonly<Record<string, string>>): Promise<number> {
    const sent = { 'content-type': 'application/json', ...headers };
    return (await fetch(receiver.url, { method: 'POST', headers: sent, body })).status;
  }

  /** Sends an event as the service does. */
  function deliver(id: string, body = jobEvent(id), secrets: readonly string[] = [old]): Promise<number> {
    return send(body, webhookHeaders({ id, timestamp: unixSeconds(), body }, secrets));
  }

  it('handles each event once, however often it comes', async () => {
    expect(await deliver('evt_again')).toBe(204);
    expect(await deliver('evt_again')).toBe(204);
    expect(await effects('evt_again')).toEqual([{ state: 'completed' }]);
    expect(receiver.said().slice(-2)).toEqual(['handled evt_again', 'seen_before evt_again']);
  });

  it('handles an event once that comes ten times at once', async () => {
    const statuses = await Promise.all(Array.from({ length: 10 }, () => deliver('evt_at_once')));
    expect(new Set(statuses)).toEqual(new Set([204]));
    expect(await effects('evt_at_once')).toHaveLength(1);
  });

  it('reads the raw body: what no parser keeps still verifies (contract 4.2)', async () => {
    const body = jobEvent('evt_raw', '😀 <>& a/b é   ').replace('"object"', '"n": 1.0, "object"');
    expect(await deliver('evt_raw', body)).toBe(204);
    expect(await effects('evt_raw')).toHaveLength(1);
  });

  it('takes an event signed with the old secret, the new one, or both (contract 4.1)', async () => {
    for (const [index, secrets] of [[old], [old, fresh], [fresh, old], [fresh]].entries())
      expect(await deliver(`evt_rotated_${index}`, undefined, secrets)).toBe(204);
  });

  it('refuses forged, changed, stale and unsigned requests, without remembering their ids', async () => {
    const body = jobEvent('evt_forged');
    const message = { id: 'evt_forged', timestamp: unixSeconds(), body };
    const stale = { ...message, timestamp: message.timestamp - 301 };
    expect(await send(body, webhookHeaders(message, [webhookSecret(randomBytes)]))).toBe(401);
    expect(await send(body.replace('completed', 'failed'), webhookHeaders(message, [old]))).toBe(401);
    expect(await send(body, webhookHeaders(stale, [old]))).toBe(400);
    expect(await send(body, {})).toBe(400);
    expect(await send('', {})).toBe(400);
    expect(await effects('evt_forged')).toEqual([]);
    expect(await deliver('evt_forged', body)).toBe(204);
    expect(await effects('evt_forged')).toHaveLength(1);
  });

  it('answers what is no request of a webhook with 4xx, never with 5xx', async () => {
    expect((await fetch(receiver.url)).status).toBeLessThan(500);
    for (const body of ['not json', '{"a":', 'null', 'x'.repeat(200_000)]) {
      for (const type of ['application/json', 'text/plain', 'x/']) {
        const status = await send(body, { 'content-type': type });
        expect([body.slice(0, 10), type, Math.floor(status / 100)]).toEqual([body.slice(0, 10), type, 4]);
      }
    }
  });

  it('answers 500 when the effect fails, keeps nothing of it, and has it when the event comes again', async () => {
    const change = (sql: string) => postgres.query(sql, [], receiver.databaseUrl);
    await change('ALTER TABLE finished_jobs RENAME TO away');
    expect(await deliver('evt_failed')).toBe(500);
    await change('ALTER TABLE away RENAME TO finished_jobs');
    expect(await deliver('evt_failed')).toBe(204);
    expect(await deliver('evt_failed')).toBe(204);
    expect(await effects('evt_failed')).toHaveLength(1);
  });

  it('goes on when its connections are cut', async () => {
    expect(await postgres.terminateBackends(receiver.databaseUrl)).toBeGreaterThan(0);
    await deliver('evt_cut');
    expect(await deliver('evt_cut')).toBe(204);
    expect(await effects('evt_cut')).toHaveLength(1);
  });

  it('answers 2xx to types that it does not know', async () => {
    const body = jobEvent('evt_later').replace('job.completed', 'page.counted');
    expect(await deliver('evt_later', body)).toBe(204);
  });
});
