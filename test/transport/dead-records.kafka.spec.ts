import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { createTopics, KafkaPublisher, OutboxRelay } from '#libs/messaging';
import { Database, migrate, OutboxStore } from '#libs/persistence';
import { Kafka, logLevel } from 'kafkajs';
import { pino } from 'pino';
import { eventually } from '../support/eventually.js';
import { type KafkaBroker, startKafkaBroker } from '../support/kafka-broker.js';
import { packageRoot } from '../support/package-root.js';
import { startTestPostgres, type TestPostgres } from '../support/postgres.js';
import { KafkaBench, testTopics } from './kafka-bench.js';
import { TopicReader } from './topic-reader.js';

const run = promisify(execFile);
const smallestBytes = '2000';

describe('a record that Kafka refuses', () => {
  const rule = (title: string, check: () => Promise<void>) => it(title, check, 60_000);
  let broker: KafkaBroker;
  let postgres: TestPostgres;
  let databaseUrl: string;
  let database: Database;
  let topic: string;
  let reader: TopicReader;
  let relay: OutboxRelay;
  let dead: number;
  const logged: unknown[] = [];

  beforeAll(async () => {
    [broker, postgres] = await Promise.all([startKafkaBroker(), startTestPostgres()]);
    databaseUrl = await postgres.createDatabase();
    await migrate(databaseUrl);
    database = new Database({ url: databaseUrl, purpose: 'work', poolSize: 2 });
    const bench = new KafkaBench(broker.brokers);
    const { topic: name, specs } = testTopics(1);
    topic = name;
    const small = specs.map((spec) => ({ ...spec, config: { ...spec.config, 'max.message.bytes': smallestBytes } }));
    await createTopics(bench.connection('topics'), { replicationFactor: 1, topics: small });
    reader = await new TopicReader(broker.brokers, topic).start();
    dead = 0;
    relay = new OutboxRelay({
      source: new OutboxStore(database),
      publisher: new KafkaPublisher(bench.connection('relay')),
      pollMs: 50,
      log: pino({ level: 'error' }, { write: (line: string) => logged.push(JSON.parse(line)) }),
      observe: { dead: () => (dead += 1) },
    });
    relay.start();
  }, 120_000);

  afterAll(async () => {
    await relay?.stop();
    await reader?.stop();
    await database?.close();
    await postgres?.stop();
    await broker?.stop();
  }, 60_000);

  /** A row whose body has about so many bytes; gives its id. */
  async function insert(bodyBytes: number): Promise<string> {
    const sql = `INSERT INTO outbox (topic, key, event_id, type, body, occurred_at, state)
                 VALUES ($1, 'job_1', new_uuid_v7(), 'job.completed', $2, now(), 'pending') RETURNING id::text`;
    const body = JSON.stringify('x'.repeat(bodyBytes));
    const [row] = await postgres.query<{ id: string }>(sql, [topic, body], databaseUrl);
    return row?.id ?? '';
  }

  async function states(): Promise<Record<string, string>> {
    const rows = await postgres.query<{ id: string; state: string }>(
      'SELECT id::text, state FROM outbox',
      [],
      databaseUrl,
    );
    return Object.fromEntries(rows.map(({ id, state }) => [id, state]));
  }

  async function command(...words: readonly string[]): Promise<string> {
    const file = join(packageRoot, 'dist', 'apps', 'api', 'src', 'cli', 'outbox.js');
    const env = { ...process.env, NODE_OPTIONS: '', DATABASE_URL: databaseUrl };
    return (await run(process.execPath, [file, ...words], { env, timeout: 20_000 })).stdout;
  }

  rule(
    'is marked dead, counted and logged as an error, and everything around it is published (contract 5.2)',
    async () => {
      const before = await insert(100);
      const huge = await insert(5_000);
      const behind = await insert(100);
      await eventually(async () => Object.values(await states()).every((state) => state !== 'pending'), {
        withinMs: 20_000,
      });
      expect(await states()).toEqual({ [before]: 'published', [huge]: 'dead', [behind]: 'published' });
      await eventually(() => reader.messages.length === 2);
      expect(dead).toBe(1);
      expect(logged).toEqual([
        expect.objectContaining({
          level: 50,
          msg: 'outbox.refused',
          outboxId: huge,
          reason: 'MESSAGE_TOO_LARGE',
          bytes: 5_002,
        }),
      ]);
    },
  );

  rule('is listed by a command, and published by another once the topic takes it (contract 5.2)', async () => {
    const [line = ''] = (await command('list')).trim().split('\n');
    const [id = '', ofTopic, key, eventId, type, bytes, reason] = line.split('\t');
    expect([ofTopic, key, type, bytes, reason]).toEqual([topic, 'job_1', 'job.completed', '5002', 'MESSAGE_TOO_LARGE']);
    expect(eventId).toMatch(/^evt_/);
    await allowLarger();
    expect(await command('retry', id)).toBe('1 to be published again\n');
    await eventually(() => reader.ids().includes(eventId ?? ''), { withinMs: 20_000 });
    expect(await eventually(async () => (await states())[id] === 'published')).toBe(true);
    expect(await command('list')).toBe('');
    expect(await command('retry', 'all')).toBe('0 to be published again\n');
  });

  rule('is told by its id when there is none such', async () => {
    await expect(command('retry', '999')).rejects.toThrow('not among the refused records: 999');
    await expect(command('retry', 'x; drop table')).rejects.toThrow('is no id of a record; list shows them');
    await expect(command('retry')).rejects.toThrow('retry needs ids, or all');
  });

  async function allowLarger(): Promise<void> {
    const admin = new Kafka({ brokers: broker.brokers, logLevel: logLevel.NOTHING }).admin();
    await admin.connect();
    const configEntries = [{ name: 'max.message.bytes', value: '100000' }];
    await admin.alterConfigs({ validateOnly: false, resources: [{ type: 2, name: topic, configEntries }] });
    await admin.disconnect();
  }
});
