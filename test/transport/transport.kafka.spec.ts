import type { INestMicroservice } from '@nestjs/common';
import { deadLetterTopic, type InboundMessage, type KafkaTransportOptions } from '#libs/messaging';
import { Kafka, logLevel, type KafkaMessage } from 'kafkajs';
import { eventually } from '../support/eventually.js';
import { startKafkaBroker, type KafkaBroker } from '../support/kafka-broker.js';
import { KafkaBench } from './kafka-bench.js';
import { controllerOf, createConsumerApp, describeTransport, gate, outboxRecord } from './transport.contract.js';

let broker: KafkaBroker;
let kafka: Kafka;
const benches: KafkaBench[] = [];

async function openBench(partitions = 3): Promise<KafkaBench> {
  const bench = await new KafkaBench(broker.brokers, partitions).createTopics();
  benches.push(bench);
  return bench;
}

beforeAll(async () => {
  broker = await startKafkaBroker();
  kafka = new Kafka({ brokers: broker.brokers, clientId: 'oracle', logLevel: logLevel.NOTHING });
}, 120_000);

afterAll(async () => {
  await Promise.all(benches.map((bench) => bench.close()));
  await broker?.stop();
}, 30_000);

describeTransport({ name: 'Kafka', openBench });

describe('the Kafka transport on its broker', () => {
  const rule = (title: string, check: () => Promise<void>) => it(title, check, 40_000);
  const apps: INestMicroservice[] = [];

  afterEach(async () => {
    await Promise.all(apps.splice(0).map((app) => app.close()));
  }, 20_000);

  async function consume(
    bench: KafkaBench,
    handle: (messages: readonly InboundMessage[]) => unknown,
    options: Partial<KafkaTransportOptions> = {},
  ): Promise<INestMicroservice> {
    const transport = bench.createTransport(options);
    const app = await createConsumerApp(transport, controllerOf(bench.topic, handle));
    apps.push(app);
    await app.listen();
    await eventually(() => transport.isConnected(), { withinMs: 10_000, describe: 'the consumer joined' });
    return app;
  }

  rule('takes records that were published before its group ever joined', async () => {
    const bench = await openBench();
    const record = outboxRecord(bench.topic);
    await bench.publish([record]);
    const seen: string[] = [];
    await consume(bench, (messages) => void seen.push(...messages.map(({ id }) => id)));
    await eventually(() => seen.includes(record.eventId), { withinMs: 10_000 });
  });

  rule('uses the group id as it is and commits every offset at the end of a batch', async () => {
    const bench = await openBench(1);
    const seen: string[] = [];
    const app = await consume(bench, (messages) => void seen.push(...messages.map(({ id }) => id)));
    await bench.publish(Array.from({ length: 40 }, () => outboxRecord(bench.topic)));
    await eventually(() => seen.length === 40, { withinMs: 10_000 });
    await app.close();
    expect(await committedOffsets(bench)).toEqual(['40']);
    const last = outboxRecord(bench.topic);
    await bench.publish([last]);
    await consume(bench, (messages) => void seen.push(...messages.map(({ id }) => id)));
    await eventually(() => seen.includes(last.eventId), { withinMs: 10_000 });
    expect(seen).toHaveLength(41);
  });

  rule('commits nothing of a batch whose handler failed', async () => {
    const bench = await openBench(1);
    let calls = 0;
    const app = await consume(bench, async () => {
      calls += 1;
      throw new Error('the database is away');
    });
    await bench.publish([outboxRecord(bench.topic)]);
    await eventually(() => calls >= 3, { withinMs: 10_000 });
    await app.close();
    expect(await committedOffsets(bench)).toEqual(['-1']);
  });

  rule(
    'writes what it cannot decode to the dead-letter topic, with reason and source position, and goes on',
    async () => {
      const bench = await openBench(1);
      const seen: string[] = [];
      await consume(bench, (messages) => void seen.push(...messages.map(({ id }) => id)));
      const good = outboxRecord(bench.topic);
      await bench.publish([good]);
      await sendRaw(bench.topic, {
        key: 'k1',
        value: Buffer.from([0, 0xff]),
        headers: { ce_id: 'evt_odd', trace: 'abc' },
      });
      await sendRaw(bench.topic, { key: null, value: null });
      const behind = outboxRecord(bench.topic);
      await bench.publish([behind]);
      await eventually(() => seen.includes(behind.eventId), { withinMs: 10_000 });
      expect(seen).toEqual([good.eventId, behind.eventId]);
      const letters = await readAll(deadLetterTopic(bench.topic), 2);
      expect(letters.map(({ key }) => key?.toString())).toEqual(['k1', undefined]);
      expect(letters.map(({ value }) => value)).toEqual([Buffer.from([0, 0xff]), null]);
      expect(headersOf(letters[0])).toEqual({
        ce_id: 'evt_odd',
        trace: 'abc',
        'dlq-reason': 'header content-type is missing',
        'dlq-source-topic': bench.topic,
        'dlq-source-partition': '0',
        'dlq-source-offset': '1',
        'dlq-consumer-group': bench.groupId,
        'dlq-failed-at': expect.stringMatching(/^\d{4}-.*Z$/),
      });
      expect(headersOf(letters[1])).toMatchObject({ 'dlq-source-offset': '2' });
    },
  );

  rule(
    'leaves a dead letter with the position alone for a record that has no room for a reason, and goes on',
    async () => {
      const bench = await openBench(1);
      const seen: string[] = [];
      await consume(bench, (messages) => void seen.push(...messages.map(({ id }) => id)));
      await sendRaw(bench.topic, { key: null, value: Buffer.alloc(1_048_450, 1) });
      const behind = outboxRecord(bench.topic);
      await bench.publish([behind]);
      await eventually(() => seen.includes(behind.eventId), { withinMs: 10_000 });
      const [letter] = await readAll(deadLetterTopic(bench.topic), 1);
      expect(letter?.value).toBeNull();
      expect(headersOf(letter)).toMatchObject({
        'dlq-source-offset': '0',
        'dlq-omitted': 'key, value and headers: MESSAGE_TOO_LARGE',
      });
    },
  );

  rule('runs a handler once that takes longer than the session, in a group of two', async () => {
    const bench = await openBench(1);
    const calls: string[] = [];
    const slow = async (messages: readonly InboundMessage[]) => {
      calls.push(...messages.map(({ id }) => id));
      await new Promise((resolve) => setTimeout(resolve, 3.5 * broker.minSessionMs));
    };
    await consume(bench, slow, { sessionTimeoutMs: broker.minSessionMs });
    const record = outboxRecord(bench.topic);
    await bench.publish([record]);
    await eventually(() => calls.length === 1, { withinMs: 10_000 });
    const second = bench.createTransport({ sessionTimeoutMs: broker.minSessionMs });
    const app = await createConsumerApp(second, controllerOf(bench.topic, slow));
    apps.push(app);
    await app.listen();
    await eventually(() => second.isConnected(), { withinMs: 30_000 });
    await eventually(async () => (await committedOffsets(bench)).includes('1'), { withinMs: 10_000 });
    expect(calls).toEqual([record.eventId]);
  });

  rule('keeps its place in the group while a handler fails for longer than the session', async () => {
    const bench = await openBench(1);
    let failUntil = Number.POSITIVE_INFINITY;
    const seen: string[] = [];
    await consume(
      bench,
      async (messages) => {
        failUntil = Math.min(failUntil, performance.now() + 3 * broker.minSessionMs);
        if (performance.now() < failUntil) throw new Error('not yet');
        seen.push(...messages.map(({ id }) => id));
      },
      { sessionTimeoutMs: broker.minSessionMs },
    );
    const before = await members(bench);
    await bench.publish([outboxRecord(bench.topic)]);
    await eventually(() => seen.length === 1, { withinMs: 30_000 });
    expect(await members(bench)).toEqual(before);
  });

  rule('loses nothing when members come and go between batches', async () => {
    const bench = await openBench(6);
    const seen: string[] = [];
    const take = (messages: readonly InboundMessage[]) => void seen.push(...messages.map(({ id }) => id));
    await consume(bench, take);
    const sent = Array.from({ length: 120 }, () => outboxRecord(bench.topic));
    await bench.publish(sent.slice(0, 60));
    const second = await consume(bench, take);
    await bench.publish(sent.slice(60, 90));
    await eventually(() => new Set(seen).size === 90, { withinMs: 15_000 });
    await second.close();
    await bench.publish(sent.slice(90));
    await eventually(() => new Set(seen).size === 120, { withinMs: 15_000 });
    expect(new Set(seen)).toEqual(new Set(sent.map(({ eventId }) => eventId)));
  });

  rule('starts while its topic is missing and consumes once the topic is there', async () => {
    const bench = new KafkaBench(broker.brokers);
    benches.push(bench);
    const seen: string[] = [];
    const transport = bench.createTransport();
    const app = await createConsumerApp(
      transport,
      controllerOf(bench.topic, (messages) => void seen.push(...messages.map(({ id }) => id))),
    );
    apps.push(app);
    await app.listen();
    expect(transport.isConnected()).toBe(false);
    await bench.createTopics();
    const record = outboxRecord(bench.topic);
    await eventually(() => bench.publish([record]).then(() => true), { withinMs: 10_000 });
    await eventually(() => seen.includes(record.eventId), { withinMs: 10_000 });
  });

  rule('closes an idle consumer within a second', async () => {
    const bench = await openBench();
    const started = gate();
    const app = await consume(bench, () => started.open());
    await bench.publish([outboxRecord(bench.topic)]);
    await started.passed;
    const startedAt = performance.now();
    await app.close();
    expect(performance.now() - startedAt).toBeLessThan(1_000);
  });

  async function committedOffsets(bench: KafkaBench): Promise<string[]> {
    return withAdmin(async (admin) => {
      const [topic] = await admin.fetchOffsets({ groupId: bench.groupId, topics: [bench.topic] });
      return topic?.partitions.map(({ offset }) => offset) ?? [];
    });
  }

  async function members(bench: KafkaBench): Promise<string[]> {
    return withAdmin(async (admin) => {
      const { groups } = await admin.describeGroups([bench.groupId]);
      return groups.flatMap((group) => group.members.map(({ memberId }) => memberId));
    });
  }

  async function withAdmin<T>(use: (admin: ReturnType<Kafka['admin']>) => Promise<T>): Promise<T> {
    const admin = kafka.admin();
    await admin.connect();
    try {
      return await use(admin);
    } finally {
      await admin.disconnect();
    }
  }

  async function sendRaw(topic: string, message: Pick<KafkaMessage, 'key' | 'value'> | object): Promise<void> {
    const producer = kafka.producer({ allowAutoTopicCreation: false });
    await producer.connect();
    await producer.send({ topic, messages: [message as { value: Buffer | null }] });
    await producer.disconnect();
  }

  async function readAll(topic: string, count: number): Promise<KafkaMessage[]> {
    const consumer = kafka.consumer({ groupId: `${topic}.reader`, maxWaitTimeInMs: 100 });
    const found: KafkaMessage[] = [];
    await consumer.connect();
    await consumer.subscribe({ topics: [topic], fromBeginning: true });
    await consumer.run({ eachMessage: async ({ message }) => void found.push(message) });
    await eventually(() => found.length >= count, { withinMs: 10_000, describe: `${count} dead letters` });
    await consumer.disconnect();
    return found;
  }

  function headersOf(message: KafkaMessage | undefined): Record<string, string> {
    const headers = Object.entries(message?.headers ?? {});
    return Object.fromEntries(headers.map(([name, value]) => [name, String(value)]));
  }
});
