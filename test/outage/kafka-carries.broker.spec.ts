import { samplePdf } from '../support/pdf-samples.js';
import { KafkaCluster } from './kafka-cluster.js';

const pollMs = 2_000;
/** kafkajs' session of a worker is 6 s. */
const longJobMs = 9_000;

describe('what Kafka carries', () => {
  const rule = (title: string, check: () => Promise<void>) => it(title, check, 120_000);
  let running: KafkaCluster;
  let fileId: string;

  async function start(env: Readonly<Record<string, string>>): Promise<void> {
    running = await KafkaCluster.start({ withBroker: true, partitions: 1, env });
    const upload = await running.api.uploadFile({ name: 'a.pdf', bytes: await samplePdf([100]) });
    fileId = upload.json<{ id: string }>().id;
    await running.consumes();
  }

  afterEach(() => running?.stop(), 60_000);

  async function submit(): Promise<string> {
    const answer = await running.api.submit({ operation: 'merge', inputs: [{ file_id: fileId }] });
    expect(answer.status).toBe(202);
    return answer.json<{ id: string }>().id;
  }

  /** From the answer to the start of the work, of the middle one of so many jobs, one after another. */
  async function medianStartMs(jobs: number): Promise<number> {
    const delays: number[] = [];
    for (let job = 0; job < jobs; job += 1) {
      const jobId = await submit();
      const acceptedAt = Date.now();
      const { started_at: startedAt } = await running.api.endedJob(jobId);
      delays.push(Date.parse(startedAt ?? '') - acceptedAt);
    }
    return delays.sort((left, right) => left - right)[Math.floor(jobs / 2)] ?? NaN;
  }

  rule('a job starts long before the next poll, and waits for it when the broker is stopped', async () => {
    await start({ POLL_INTERVAL: `${pollMs}ms` });
    await medianStartMs(3);
    expect(await medianStartMs(15)).toBeLessThan(pollMs / 8);
    await running.broker.kill();
    const withoutMs = await medianStartMs(7);
    expect(withoutMs).toBeGreaterThan(pollMs / 2);
    expect(withoutMs).toBeLessThan(pollMs + 1_000);
  });

  rule('a job longer than the session of its consumer runs once and holds up no other of its partition', async () => {
    await start({ POLL_INTERVAL: '60s', WORKER_CONCURRENCY: '2' });
    const worker = await running.cluster.startAgain('worker-1', `job.at-work:pause=${longJobMs}`);
    await running.consumes();
    const long = await submit();
    await worker.waitForLog(({ fields }) => fields?.['msg'] === 'failpoint.reached');
    const startedAt = Date.now();
    for (let job = 0; job < 5; job += 1) await running.api.endedJob(await submit(), 3_000);
    expect(Date.now() - startedAt).toBeLessThan(longJobMs);
    expect((await running.api.job(long)).state).toBe('processing');

    const ended = await running.api.endedJob(long, 2 * longJobMs);
    expect(ended).toMatchObject({ state: 'completed', attempt: 1 });
    expect(Date.parse(ended.finished_at ?? '') - startedAt).toBeGreaterThanOrEqual(longJobMs - 1_000);
    const joined = worker.logs.filter(
      ({ fields, pid }) => pid === worker.pid && fields?.['msg'] === 'kafka.group-joined',
    );
    expect(joined).toHaveLength(1);
    const claims = await running.cluster.query<{ claim: number }>(
      'select claim from jobs where attempt <> 1 or claim <> 1',
    );
    expect(claims).toEqual([]);
  });
});
