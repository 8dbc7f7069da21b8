import { setTimeout as pause } from 'node:timers/promises';
import { eventually } from '../support/eventually.js';
import { samplePdf } from '../support/pdf-samples.js';
import { KafkaCluster } from './kafka-cluster.js';

/** OUTAGE_SECONDS=60 is the full proof. */
const outageMs = Number(process.env['OUTAGE_SECONDS'] ?? 10) * 1_000;
const everyMs = 150;

interface Accepted {
  readonly jobId: string;
  readonly status: number;
  readonly at: number;
}

describe('while Kafka is away', () => {
  const rule = (title: string, check: () => Promise<void>) => it(title, check, 120_000 + 2 * outageMs);
  let running: KafkaCluster;
  let fileId: string;

  async function start(withBroker: boolean): Promise<void> {
    running = await KafkaCluster.start({ withBroker, env: { POLL_INTERVAL: '300ms' } });
    const upload = await running.api.uploadFile({ name: 'a.pdf', bytes: await samplePdf([100]) });
    fileId = upload.json<{ id: string }>().id;
  }

  afterEach(() => running?.stop(), 60_000);

  async function submit(): Promise<Accepted> {
    const answer = await running.api.submit({ operation: 'merge', inputs: [{ file_id: fileId }] });
    return { jobId: answer.json<{ id: string }>().id, status: answer.status, at: Date.now() };
  }

  async function submitFor(ms: number): Promise<Accepted[]> {
    const accepted: Promise<Accepted>[] = [];
    for (const until = Date.now() + ms; Date.now() < until; await pause(everyMs)) accepted.push(submit());
    return Promise.all(accepted);
  }

  function idsOf(accepted: readonly Accepted[]): string[] {
    return accepted.map(({ jobId }) => jobId);
  }

  /** Each job has completed in its first attempt, and its end is one event id on the topic and at the endpoint. */
  async function everyEndIsTold(accepted: readonly Accepted[]): Promise<void> {
    const reader = await running.readTopic();
    try {
      await running.toldOf(idsOf(accepted), 30_000);
      const told = new Map(running.told().map(({ jobId, eventId }) => [jobId, eventId]));
      expect([...told.keys()].sort()).toEqual(idsOf(accepted).sort());
      await eventually(() => [...told.values()].every((eventId) => reader.ids().includes(eventId)), {
        withinMs: 60_000,
        everyMs: 200,
        describe: 'every event on the topic',
      });
      expect(new Set(reader.ids())).toEqual(new Set(told.values()));
      const usage = await running.api.usage();
      expect(usage.total.jobs).toBe(accepted.length);
    } finally {
      await reader.stop();
    }
  }

  rule(
    'jobs are accepted, run and told by webhook without it, and consumers get every event once it is back',
    async () => {
      await start(true);
      await running.consumes();
      const before = await submitFor(2_000);
      await running.broker.kill();
      const stoppedAt = Date.now();
      const during = await submitFor(outageMs);
      await running.toldOf(idsOf(during), 10_000);
      const isAway = await running.broker.restart().then(() => Date.now());
      const after = await submitFor(2_000);

      const accepted = [...before, ...during, ...after];
      expect(accepted.filter(({ status }) => status !== 202)).toEqual([]);
      const toldDuring = running
        .told()
        .filter(({ receivedAt }) => Number(receivedAt) > stoppedAt && Number(receivedAt) < isAway);
      expect(toldDuring.length).toBeGreaterThanOrEqual(during.length);
      await everyEndIsTold(accepted);
    },
  );

  rule('processes start without it and work, and consumers get every event once it comes', async () => {
    await start(false);
    const accepted = await submitFor(3_000);
    expect(accepted.filter(({ status }) => status !== 202)).toEqual([]);
    await running.toldOf(idsOf(accepted), 15_000);
    await running.broker.restart();
    await everyEndIsTold(accepted);
  });
});
