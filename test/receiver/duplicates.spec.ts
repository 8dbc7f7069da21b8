import type { JobView } from '#libs/domain';
import { ApiClient } from '../support/api-client.js';
import { Cluster } from '../support/cluster.js';
import { DroppingProxy } from '../support/dropping-proxy.js';
import { eventually } from '../support/eventually.js';
import { freePort } from '../support/free-port.js';
import { samplePdf } from '../support/pdf-samples.js';
import { exampleNames, ExampleReceivers, type RunningReceiver } from './example-receivers.js';

/** A delivery whose sender died is taken again when its lease of WEBHOOK_TIMEOUT + 15 s has ended; another attempt comes after 5 to 7 s. */
const deliveredWithinMs = 40_000;
const timeoutMs = 90_000;

describe('receivers that dedup on the id, before a service that sends events again', () => {
  let cluster: Cluster;
  let client: ApiClient;
  let receivers: ExampleReceivers;
  let proxies: DroppingProxy[];
  let running: RunningReceiver[];

  beforeAll(async () => {
    [cluster, receivers] = await Promise.all([
      Cluster.start({ env: { WEBHOOK_TIMEOUT: '3s' } }),
      ExampleReceivers.build(),
    ]);
    client = new ApiClient(cluster.apiUrls[0] ?? '', await cluster.createKey('shop'));
    const ports = await Promise.all(exampleNames.map(freePort));
    proxies = await Promise.all(ports.map((port) => DroppingProxy.open(`http://127.0.0.1:${port}`)));
    running = await Promise.all(
      exampleNames.map(async (name, index) => {
        const url = `${proxies[index]?.url}/hooks/pdfonce`;
        const endpoint = (await client.createEndpoint({ url, event_types: ['job.*'] })).json<{ secret: string }>();
        const databaseUrl = await cluster.postgres.createDatabase();
        return receivers.start(name, { secret: endpoint.secret, databaseUrl, port: ports[index] ?? 0 });
      }),
    );
  }, 120_000);

  afterAll(async () => {
    await Promise.all((proxies ?? []).map((proxy) => proxy.close()));
    await receivers?.stop();
    await cluster?.stop();
  }, 60_000);

  async function submit(key: string): Promise<string> {
    const answer = await client.submitFiles([{ name: 'a.pdf', bytes: await samplePdf([100]) }], { key });
    return answer.json<JobView>().id;
  }

  /** The id of the job's event when it has been delivered to every receiver. */
  async function deliveredEvent(jobId: string): Promise<string | undefined> {
    const events = await client.list<{ id: string; data: { id: string } }>('/v1/events');
    const eventId = events.find(({ data }) => data.id === jobId)?.id;
    const delivered = await client.list<{ event_id: string }>('/v1/deliveries', { state: 'delivered' });
    return delivered.filter(({ event_id }) => event_id === eventId).length === running.length ? eventId : undefined;
  }

  /** Waits until the event of the job has been delivered to all, and gives what each receiver said of it and what it wrote. */
  async function ends(jobId: string) {
    const waiting = { withinMs: deliveredWithinMs, everyMs: 100, describe: `the deliveries of ${jobId}` };
    const eventId = (await eventually(() => deliveredEvent(jobId), waiting)) ?? '';
    return Promise.all(
      running.map(async ({ said, databaseUrl }) => ({
        said: said()
          .filter((line) => line.endsWith(eventId))
          .map((line) => line.split(' ')[0]),
        effects: await cluster.postgres.query('SELECT state FROM finished_jobs WHERE id = $1', [jobId], databaseUrl),
      })),
    );
  }

  const once = [{ state: 'completed' }];

  it(
    'have each event once when the dispatcher is killed after every answer and before it records one (contract 3.2, 4.3)',
    async () => {
      const hang = exampleNames.slice(1).map((_, index) => `delivery.after-answer:hang:${index + 1}`);
      await cluster.startAgain('dispatcher-1', [...hang, `delivery.after-answer:kill:${exampleNames.length}`].join());
      const jobId = await submit('killed');
      const dispatcher = cluster.process('dispatcher-1');
      await dispatcher.waitForEnd({ code: null, signal: 'SIGKILL' });
      await cluster.startAgain('dispatcher-1');
      for (const { said, effects } of await ends(jobId)) {
        expect(said).toEqual(['handled', 'seen_before']);
        expect(effects).toEqual(once);
      }
    },
    timeoutMs,
  );

  it(
    'have each event once when its answer is lost, when the request is cut, and when its effect fails at first (contract 4.3)',
    async () => {
      const failing = running[2];
      proxies[0]?.plan('drop-answer');
      proxies[1]?.plan({ cutBodyAt: 100 });
      const change = (sql: string) => cluster.postgres.query(sql, [], failing?.databaseUrl);
      await change('ALTER TABLE finished_jobs RENAME TO away');
      const jobId = await submit('lost');
      await eventually(() => failing?.said().some((line) => line.startsWith('failed')), { withinMs: 20_000 });
      await change('ALTER TABLE away RENAME TO finished_jobs');
      const [lost, cut, failed, untouched] = await ends(jobId);
      expect(lost).toEqual({ said: ['handled', 'seen_before'], effects: once });
      expect(cut).toEqual({ said: ['handled'], effects: once });
      expect(failed).toEqual({ said: ['failed', 'handled'], effects: once });
      expect(untouched).toEqual({ said: ['handled'], effects: once });
    },
    timeoutMs,
  );
});
