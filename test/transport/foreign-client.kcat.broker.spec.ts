import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import type { JobView } from '#libs/domain';
import { topics } from '#libs/messaging';
import { KafkaCluster } from '../outage/kafka-cluster.js';
import { eventually } from '../support/eventually.js';
import { samplePdf } from '../support/pdf-samples.js';
import { recordProblems } from './described-records.js';

/** What kcat prints of a record, with -J: headers are names and values in turn. */
interface Printed {
  readonly topic: string;
  readonly key: string | null;
  readonly payload: string | null;
  readonly tstype: string;
  readonly headers?: readonly string[];
}

const run = promisify(execFile);

describe('a client of another kind', () => {
  const rule = (title: string, check: () => Promise<void>) => it(title, check, 60_000);
  let running: KafkaCluster;
  let job: JobView;
  let acceptedAt: number;

  beforeAll(async () => {
    running = await KafkaCluster.start({ withBroker: true });
    acceptedAt = Date.now();
    const answer = await running.api.submitFiles([{ name: 'Zürich ✓.pdf', bytes: await samplePdf([100]) }]);
    job = await running.api.endedJob(answer.json<JobView>().id);
    await running.toldOf([job.id], 20_000);
    await eventually(async () => (await read(topics.events)).length > 0, { withinMs: 20_000, everyMs: 200 });
  }, 120_000);

  afterAll(() => running?.stop(), 60_000);

  async function read(topic: string, from = 'beginning'): Promise<Printed[]> {
    const args = ['-b', running.broker.brokers.join(','), '-C', '-t', topic, '-o', from, '-e', '-q', '-J'];
    const { stdout } = await run('kcat', args, { timeout: 20_000 });
    return stdout.split('\n').flatMap((line) => (line === '' ? [] : [JSON.parse(line) as Printed]));
  }

  function headersOf({ headers = [] }: Printed): Record<string, string> {
    const pairs = headers.flatMap((name, index) =>
      index % 2 === 0 ? [[name, headers[index + 1] ?? ''] as const] : [],
    );
    return Object.fromEntries(pairs);
  }

  rule('reads the same key, headers and JSON from both topics (contract 5.1)', async () => {
    const printed = [...(await read(topics.jobs)), ...(await read(topics.events))];
    expect(printed.map((record) => [record.topic, record.key, headersOf(record)['ce_type']])).toEqual([
      [topics.jobs, job.id, 'job.submitted'],
      [topics.events, job.id, 'job.completed'],
    ]);
    for (const record of printed) {
      const headers = headersOf(record);
      expect(recordProblems({ ...record, headers, value: record.payload })).toEqual([]);
      expect(JSON.parse(record.payload ?? '')).toMatchObject({ id: headers['ce_id'], type: headers['ce_type'] });
    }
    const told = JSON.parse(printed[1]?.payload ?? '') as { id: string; data: Pick<JobView, 'outputs'> };
    expect(told.data.outputs).toEqual(job.outputs);
    expect(told.id).toBe(running.told()[0]?.eventId);
  });

  rule("reads again from a time, by Kafka's clock", async () => {
    const [record] = await read(topics.events, `s@${acceptedAt}`);
    expect([record?.key, record?.tstype]).toEqual([job.id, 'logappend']);
    expect(await read(topics.events, `s@${Date.now() + 60_000}`)).toEqual([]);
  });
});
