import { KafkaPublisher, OutboxRelay, type OutboxRecord, type OutboxRelayOptions } from '#libs/messaging';
import { pino } from 'pino';
import { eventually } from '../support/eventually.js';
import { startKafkaBroker, type KafkaBroker } from '../support/kafka-broker.js';
import { KafkaBench } from './kafka-bench.js';
import { MemoryOutbox } from './memory-outbox.js';
import { TopicReader } from './topic-reader.js';
import { gate, outboxRecord } from './transport.contract.js';

const log = pino({ level: 'silent' });

describe('the outbox relay', () => {
  const rule = (title: string, check: () => Promise<void>) => it(title, check, 40_000);
  const cleanUps: (() => Promise<void>)[] = [];
  let broker: KafkaBroker;
  let bench: KafkaBench;
  let outbox: MemoryOutbox;
  let reader: TopicReader;

  beforeAll(async () => {
    broker = await startKafkaBroker();
  }, 120_000);

  afterAll(async () => {
    await broker?.stop();
  }, 30_000);

  beforeEach(async () => {
    bench = await new KafkaBench(broker.brokers).createTopics();
    outbox = new MemoryOutbox();
    reader = await new TopicReader(broker.brokers, bench.topic).start();
    cleanUps.push(() => reader.stop());
  }, 40_000);

  afterEach(async () => {
    await Promise.all(cleanUps.splice(0).map((cleanUp) => cleanUp()));
  }, 40_000);

  function startRelay(options: Partial<OutboxRelayOptions> = {}): OutboxRelay {
    const publisher = new KafkaPublisher(bench.connection('relay'));
    const relay = new OutboxRelay({ source: outbox, publisher, log, ...options });
    cleanUps.push(() => relay.stop());
    relay.start();
    return relay;
  }

  function add(count: number, change: Partial<OutboxRecord> = {}): OutboxRecord[] {
    const records = Array.from({ length: count }, () => outboxRecord(bench.topic, change));
    outbox.add(...records);
    return records;
  }

  async function allArrived(records: readonly OutboxRecord[]): Promise<void> {
    await eventually(
      () => {
        const seen = new Set(reader.ids());
        return records.every(({ eventId }) => seen.has(eventId));
      },
      { withinMs: 20_000, describe: `${records.length} records on the topic` },
    );
  }

  function sorted(records: readonly OutboxRecord[]): string[] {
    return records.map(({ eventId }) => eventId).sort();
  }

  rule('publishes each record once, with the stored bytes, key and headers', async () => {
    const records = add(1_000);
    startRelay();
    await allArrived(records);
    await eventually(() => outbox.unpublished() === 0);
    expect(reader.ids().sort()).toEqual(sorted(records));
    const [first] = records;
    const message = reader.messages.find(({ headers }) => String(headers?.['ce_id']) === first?.eventId);
    expect(message?.value?.toString()).toBe(first?.body);
    expect(message?.key?.toString()).toBe(first?.key);
    expect(String(message?.headers?.['content-type'])).toBe('application/json');
  });

  rule('is woken by an announcement long before its poll', async () => {
    const relay = startRelay({ pollMs: 60_000 });
    await eventually(() => outbox.claims.length === 1);
    const records = add(1);
    relay.announce();
    await allArrived(records);
  });

  rule('finds by poll what nobody announced', async () => {
    startRelay({ pollMs: 100 });
    await eventually(() => outbox.claims.length > 0);
    await allArrived(add(1));
  });

  rule('goes on at once while claims come back full', async () => {
    const records = add(50);
    startRelay({ claimSize: 10, pollMs: 60_000 });
    await allArrived(records);
    expect(outbox.claims).toEqual([10, 10, 10, 10, 10, 0]);
  });

  rule('publishes again what a relay that died between publish and mark had taken', async () => {
    outbox = new MemoryOutbox(1_000);
    const published = gate();
    const frozen = gate();
    const records = add(3);
    startRelay({
      afterPublish: () => {
        published.open();
        return frozen.passed;
      },
    });
    await published.passed;
    expect(outbox.unpublished()).toBe(3);
    startRelay({ pollMs: 50 });
    await eventually(() => outbox.unpublished() === 0, { withinMs: 10_000 });
    frozen.open();
    await eventually(() => reader.ids().length === 6, { withinMs: 10_000 });
    expect(new Set(reader.ids())).toEqual(new Set(sorted(records)));
  });

  rule('marks a record dead that Kafka refuses as too large, and publishes everything around it', async () => {
    const before = add(5);
    const [huge] = add(1, { body: JSON.stringify('x'.repeat(1_200_000)) });
    const after = add(5);
    let dead = 0;
    startRelay({ observe: { dead: () => (dead += 1) } });
    await allArrived([...before, ...after]);
    await eventually(() => outbox.unpublished() === 0);
    expect(outbox.dead).toEqual([{ id: huge?.id, reason: 'MESSAGE_TOO_LARGE' }]);
    expect(dead).toBe(1);
    expect(reader.ids().sort()).toEqual(sorted([...before, ...after]));
  });

  rule('sends records that together exceed the limit of one request, each once', async () => {
    const records = add(150, { key: 'job_same', body: JSON.stringify('x'.repeat(19_000)) });
    startRelay();
    await allArrived(records);
    expect(reader.ids()).toEqual(records.map(({ eventId }) => eventId));
    expect(outbox.dead).toEqual([]);
  });

  rule('publishes to one topic while another is missing', async () => {
    const lost = outboxRecord('pdfonce.test.missing');
    outbox.add(lost);
    const records = add(5);
    startRelay();
    await allArrived(records);
    expect(outbox.unpublished()).toBe(1);
    expect(outbox.dead).toEqual([]);
  });

  rule('outlives an outbox that cannot be read for a while', async () => {
    let failures = 3;
    const records = add(5);
    startRelay({
      source: {
        claim: async (limit) => {
          if (failures-- > 0) throw new Error('the database is away');
          return outbox.claim(limit);
        },
        markPublished: (ids) => outbox.markPublished(ids),
        markDead: (id, reason) => outbox.markDead(id, reason),
      },
    });
    await allArrived(records);
  });

  rule('two relays share the work and publish each record once', async () => {
    const records = add(600);
    startRelay({ claimSize: 20 });
    startRelay({ claimSize: 20 });
    await allArrived(records);
    expect(reader.ids().sort()).toEqual(sorted(records));
  });

  rule('finishes the records under way when it stops', async () => {
    const published = gate();
    const release = gate();
    const records = add(3);
    const relay = startRelay({
      afterPublish: () => {
        published.open();
        return release.passed;
      },
    });
    await published.passed;
    add(3);
    setTimeout(release.open, 100);
    await relay.stop();
    expect(outbox.unpublished()).toBe(3);
    await allArrived(records);
  });

  rule('stops within its bound while the mark hangs', async () => {
    const published = gate();
    const release = gate();
    add(1);
    const relay = startRelay({
      afterPublish: () => {
        published.open();
        return release.passed;
      },
    });
    await published.passed;
    const startedAt = performance.now();
    await relay.stop(500);
    expect(performance.now() - startedAt).toBeLessThan(2_000);
    release.open();
  });
});
