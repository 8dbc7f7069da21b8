import type { INestMicroservice } from '@nestjs/common';
import { KafkaPublisher, OutboxRelay, type OutboxRecord } from '#libs/messaging';
import { pino } from 'pino';
import { eventually } from '../support/eventually.js';
import { startKafkaBroker, type KafkaBroker } from '../support/kafka-broker.js';
import { KafkaBench } from './kafka-bench.js';
import { MemoryOutbox } from './memory-outbox.js';
import { controllerOf, createConsumerApp, outboxRecord } from './transport.contract.js';

const log = pino({ level: 'silent' });

describe('relay and consumer while the broker is away', () => {
  const rule = (title: string, check: () => Promise<void>) => it(title, check, 90_000);
  let broker: KafkaBroker;
  let bench: KafkaBench;
  let outbox: MemoryOutbox;
  let relay: OutboxRelay;
  let app: INestMicroservice;
  let transport: ReturnType<KafkaBench['createTransport']>;
  let seen: string[];
  let failures: number;

  beforeAll(async () => {
    broker = await startKafkaBroker({ own: true });
  }, 120_000);

  afterAll(async () => {
    await broker?.stop();
  }, 30_000);

  beforeEach(async () => {
    bench = await new KafkaBench(broker.brokers).createTopics();
    outbox = new MemoryOutbox();
    seen = [];
    failures = 0;
    transport = bench.createTransport();
    const take = controllerOf(bench.topic, (messages) => void seen.push(...messages.map(({ id }) => id)));
    app = await createConsumerApp(transport, take);
    relay = new OutboxRelay({
      source: outbox,
      publisher: new KafkaPublisher(bench.connection('relay')),
      log,
      observe: { failed: () => (failures += 1) },
    });
  }, 60_000);

  afterEach(async () => {
    await Promise.all([app.close(), relay.stop()]);
  }, 60_000);

  async function startBoth(): Promise<void> {
    await app.listen();
    relay.start();
    await eventually(() => transport.isConnected() && relay.isConnected(), { withinMs: 20_000 });
  }

  function add(count: number): OutboxRecord[] {
    const records = Array.from({ length: count }, () => outboxRecord(bench.topic));
    outbox.add(...records);
    relay.announce();
    return records;
  }

  async function arrival(records: readonly OutboxRecord[], withinMs: number): Promise<void> {
    await eventually(() => records.every(({ eventId }) => seen.includes(eventId)), {
      withinMs,
      describe: `${records.length} records arrive`,
    });
  }

  rule('start while nothing answers, and work once it does', async () => {
    await broker.kill();
    const startedAt = performance.now();
    await app.listen();
    relay.start();
    expect(performance.now() - startedAt).toBeLessThan(500);
    const records = add(300);
    await eventually(() => failures >= 3, { withinMs: 10_000 });
    expect([transport.isConnected(), relay.isConnected(), outbox.claims]).toEqual([false, false, []]);
    await broker.restart();
    await arrival(records, 8_000);
  });

  rule(
    'notice that a killed broker is gone, wait without hammering, and deliver everything soon after its return',
    async () => {
      await startBoth();
      await arrival(add(100), 10_000);
      await broker.kill();
      const records = add(300);
      await eventually(() => !transport.isConnected() && !relay.isConnected(), { withinMs: 10_000 });
      const failuresBefore = failures;
      await new Promise((resolve) => setTimeout(resolve, 6_000));
      expect(failures - failuresBefore).toBeLessThan(12);
      await broker.restart();
      await arrival(records, 8_000);
      await eventually(() => outbox.unpublished() === 0, { withinMs: 12_000 });
    },
  );

  rule('lose nothing while the broker is suspended, and never keep a claim longer than it holds', async () => {
    await startBoth();
    await arrival(add(10), 10_000);
    broker.pause();
    const records = add(100);
    await eventually(() => failures >= 2, { withinMs: 20_000 });
    broker.resume();
    await arrival(records, 15_000);
    await eventually(() => outbox.unpublished() === 0, { withinMs: 12_000 });
  });

  rule('stop within their bounds while the broker is suspended', async () => {
    await startBoth();
    broker.pause();
    add(10);
    const startedAt = performance.now();
    await Promise.all([app.close(), relay.stop()]);
    const tookMs = performance.now() - startedAt;
    broker.resume();
    expect(tookMs).toBeLessThan(7_000);
  });
});
