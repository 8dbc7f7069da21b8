import { eventBodySchema, jobSubmittedSchema, recordHeadersSchema } from '#libs/contract';
import type { EventType } from '#libs/domain';
import { consumerGroups, deadLetterTopic, encodeRecord, topics } from '#libs/messaging';
import { Kafka, logLevel, type Message } from 'kafkajs';
import { KafkaCluster } from '../outage/kafka-cluster.js';
import { eventually } from '../support/eventually.js';
import { freePort } from '../support/free-port.js';
import { corruptPdf, samplePdf } from '../support/pdf-samples.js';
import { WebhookReceiver } from '../support/webhook-receiver.js';
import { type ReadRecord, recordProblems } from './described-records.js';
import { TopicReader } from './topic-reader.js';

const made = ['job.completed', 'job.failed', 'job.cancelled', 'batch.completed', 'endpoint.disabled'];
const unknownJob = 'job_01h455vb4pex5vsknk084sn02q';
const eventId = 'evt_01h455vb4pex5vsknk084sn02q';

describe('the Kafka topics of a service at work', () => {
  const rule = (title: string, check: () => Promise<void>) => it(title, check, 90_000);
  const readers = new Map<string, TopicReader>();
  let running: KafkaCluster;
  let gone: WebhookReceiver;
  let fileId: string;
  let workerPort: number;

  beforeAll(async () => {
    workerPort = await freePort();
    const envOfRole = { worker: { PORT: String(workerPort) } };
    running = await KafkaCluster.start({
      withBroker: true,
      partitions: 1,
      env: { POLL_INTERVAL: '60s' },
      envOfRole,
    });
    gone = await WebhookReceiver.open();
    gone.respond([410]);
    await running.consumes();
    for (const topic of [...Object.values(topics), ...Object.values(topics).map(deadLetterTopic)])
      readers.set(topic, await new TopicReader(running.broker.brokers, topic).start());
    const upload = await running.api.uploadFile({ name: 'Zürich ✓.pdf', bytes: await samplePdf([100]) });
    fileId = upload.json<{ id: string }>().id;
  }, 120_000);

  afterAll(async () => {
    await Promise.all([...readers.values()].map((reader) => reader.stop()));
    await gone?.close();
    await running?.stop();
  }, 60_000);

  function records(topic: string): ReadRecord[] {
    return (readers.get(topic)?.messages ?? []).map(({ key, headers, value }) => ({
      topic,
      key: key?.toString() ?? null,
      headers: Object.fromEntries(Object.entries(headers ?? {}).map(([name, text]) => [name, String(text)])),
      value: value?.toString() ?? null,
    }));
  }

  const merge = () => ({ operation: 'merge', inputs: [{ file_id: fileId }], metadata: { Straße: '✓' } });

  async function submit(): Promise<string> {
    return (await running.api.submit(merge())).json<{ id: string }>().id;
  }

  /** One of every event that comes without waiting for hours. */
  async function makeEverything(): Promise<void> {
    await running.api.createEndpoint({ url: gone.url });
    await running.api.endedJob(await submit());
    await running.api.submitFiles([{ name: 'a.pdf', bytes: corruptPdf() }]);
    await running.api.post('/v1/batches', {
      items: [
        { client_item_id: 'a', ...merge() },
        { client_item_id: 'b', ...merge() },
      ],
    });
    const worker = running.cluster.process('worker-1');
    worker.kill('SIGSTOP');
    const cancelled = await submit();
    await running.api.send('POST', `/v1/jobs/${cancelled}/cancel`);
    worker.kill('SIGCONT');
  }

  rule(
    'every record is what docs/asyncapi.json says, and has nothing that is not told there (contract 5.1, 3.6)',
    async () => {
      await makeEverything();
      await eventually(
        () => {
          const types = records(topics.events).map(({ headers }) => headers['ce_type']);
          return made.every((type) => types.includes(type));
        },
        { withinMs: 30_000, describe: 'an event of each type' },
      );
      const all = Object.values(topics).flatMap(records);
      expect(all.flatMap(recordProblems)).toEqual([]);
      for (const { key, headers, value } of all) {
        const type = headers['ce_type'] ?? '';
        const body = type === 'job.submitted' ? jobSubmittedSchema : eventBodySchema(type as EventType);
        const { id, timestamp, data } = body.parse(JSON.parse(value ?? ''));
        expect(recordHeadersSchema(type).parse(headers)).toMatchObject({
          ce_id: id,
          ce_time: timestamp,
          ce_subject: key,
          ce_partitionkey: key,
        });
        expect((data as { id: string }).id).toBe(key);
      }
      expect(records(topics.jobs).length).toBeGreaterThanOrEqual(5);
    },
  );

  rule('an event is the same bytes under the same id as by webhook (contract 3.2, 3.3)', async () => {
    const values = new Map(records(topics.events).map(({ headers, value }) => [headers['ce_id'], value]));
    const [first] = gone.received();
    expect(first?.body.toString()).toBe(values.get(String(first?.headers['webhook-id'])));
  });

  rule(
    'a command for a job that is unknown or not queued is acknowledged and counted, never a dead letter (contract 5.1)',
    async () => {
      const ended = records(topics.events).find(({ headers }) => headers['ce_type'] === 'job.cancelled')?.key ?? '';
      const counted = await commands();
      await send([command(unknownJob), command(ended), command('no id at all')]);
      await running.api.endedJob(await submit());
      expect(await commands()).toBe(counted + 4);
      await acknowledged();
      expect(records(deadLetterTopic(topics.jobs))).toEqual([]);
      expect((await running.api.job(ended)).state).toBe('cancelled');
    },
  );

  rule(
    'a record that cannot be read goes to the dead letters, and the job behind it starts at once (contract 5.1)',
    async () => {
      const letters = (['', 'not json', Buffer.from([0, 255])] as const).map((value) => ({
        ...command(unknownJob),
        value,
      }));
      await send([...letters, { key: unknownJob, value: null }, { value: Buffer.from('{}') }]);
      const startedAt = Date.now();
      await running.api.endedJob(await submit());
      expect(Date.now() - startedAt).toBeLessThan(10_000);
      await eventually(() => records(deadLetterTopic(topics.jobs)).length === 5, { withinMs: 10_000 });
      const dead = records(deadLetterTopic(topics.jobs));
      expect(dead.flatMap(recordProblems)).toEqual([]);
      expect(dead.map(({ headers }) => [headers['dlq-reason'], headers['dlq-consumer-group']])).toEqual(
        [
          'the value is empty',
          'the value is no JSON',
          'the value is no UTF-8',
          'header content-type is missing',
          'header content-type is missing',
        ].map((reason) => [reason, consumerGroups.worker]),
      );
      const offsets = dead.map(({ headers }) => Number(headers['dlq-source-offset']));
      expect(offsets.map((offset) => offset - (offsets[0] ?? 0))).toEqual([0, 1, 2, 3, 4]);
      await acknowledged();
    },
  );

  function command(key: string): Message {
    const record = { id: '0', topic: topics.jobs, key, eventId, type: 'job.submitted', body: '{"data":{}}' };
    return encodeRecord({ ...record, occurredAt: new Date().toISOString() });
  }

  const kafka = () => new Kafka({ brokers: running.broker.brokers, logLevel: logLevel.NOTHING });

  async function send(messages: Message[]): Promise<void> {
    const producer = kafka().producer();
    await producer.connect();
    await producer.send({ topic: topics.jobs, messages });
    await producer.disconnect();
  }

  /** Waits until the workers have committed all that the topic has. */
  async function acknowledged(): Promise<void> {
    const admin = kafka().admin();
    await admin.connect();
    try {
      await eventually(
        async () => {
          const [end] = await admin.fetchTopicOffsets(topics.jobs);
          const [group] = await admin.fetchOffsets({ groupId: consumerGroups.worker, topics: [topics.jobs] });
          return group?.partitions[0]?.offset === end?.high;
        },
        { withinMs: 10_000, describe: 'the workers acknowledged everything' },
      );
    } finally {
      await admin.disconnect();
    }
  }

  /** How many commands the worker has counted. */
  async function commands(): Promise<number> {
    const page = await (await fetch(`http://127.0.0.1:${workerPort}/metrics`)).text();
    return Number(/^pdfonce_worker_commands_total (\d+)$/m.exec(page)?.[1]);
  }
});
