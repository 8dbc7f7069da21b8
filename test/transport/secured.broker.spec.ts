import { execFile } from 'node:child_process';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { topics } from '#libs/messaging';
import {
  AclOperationTypes,
  AclPermissionTypes,
  AclResourceTypes,
  Kafka,
  logLevel,
  ResourcePatternTypes,
} from 'kafkajs';
import { ApiClient } from '../support/api-client.js';
import { Cluster, type ClusterOptions, type Role } from '../support/cluster.js';
import { eventually } from '../support/eventually.js';
import { type KafkaBroker, startKafkaBroker } from '../support/kafka-broker.js';
import { tableBelow } from '../support/markdown-table.js';
import { packageRoot } from '../support/package-root.js';
import { samplePdf } from '../support/pdf-samples.js';
import { WebhookReceiver } from '../support/webhook-receiver.js';
import { TopicReader } from './topic-reader.js';

const run = promisify(execFile);
const password = 'correct-horse';
const users = ['api', 'worker', 'dispatcher', 'topics', 'stranger'].map((username) => ({ username, password }));
const roles: readonly Role[] = ['api', 'worker', 'dispatcher'];

describe('Kafka with passwords, TLS and rights', () => {
  const rule = (title: string, check: () => Promise<void>) => it(title, check, 150_000);
  let broker: KafkaBroker;
  let running: Cluster | undefined;

  beforeAll(async () => {
    broker = await startKafkaBroker({ users });
    await allowAsDocumented();
    await createTopics();
  }, 120_000);

  afterEach(async () => {
    await running?.stop();
    running = undefined;
  }, 60_000);

  afterAll(() => broker?.stop(), 30_000);

  rule('each role works with no more rights than docs/kafka.md gives it (contract 5.1)', async () => {
    const { password: withPassword, passwordAndTls, certificateAuthority } = secured();
    const trusted = { KAFKA_TLS: 'true', NODE_EXTRA_CA_CERTS: certificateAuthority };
    const cluster = await start({
      env: { POLL_INTERVAL: '60s' },
      envOfRole: {
        api: { KAFKA_BROKERS: passwordAndTls, KAFKA_SASL: `scram-sha-512:api:${password}`, ...trusted },
        worker: { KAFKA_BROKERS: withPassword, KAFKA_SASL: `scram-sha-256:worker:${password}` },
        dispatcher: { KAFKA_BROKERS: passwordAndTls, KAFKA_SASL: `plain:dispatcher:${password}`, ...trusted },
      },
    });
    await Promise.all(['worker-1', 'dispatcher-1'].map((name) => logged(name, 'kafka.group-joined')));
    const receiver = await WebhookReceiver.open();
    const api = await client(cluster);
    await api.createEndpoint({ url: receiver.url });
    const jobId = await doneJob(api);
    await eventually(() => receiver.received().length === 1, { withinMs: 20_000 });
    await receiver.close();
    for (const topic of Object.values(topics)) expect(await keysOf(topic)).toContain(jobId);
    await writeGarbage();
    for (const topic of Object.values(topics)) {
      expect(await keysOf(`${topic}.dlq`)).toEqual(['garbage']);
    }
    for (const role of roles) {
      const lines = cluster.process(`${role}-1`).logs.map(({ text }) => text);
      expect(lines.filter((line) => /authoriz/i.test(line))).toEqual([]);
    }
    const ready = (await fetch(`${cluster.apiUrls[0] ?? ''}/readyz`)).json();
    expect(await ready).toMatchObject({ status: 'ready', kafka: 'connected' });
  });

  rule('who is refused says so in its log, never with the password, and does its work by poll', async () => {
    const { password: withPassword, passwordAndTls } = secured();
    const cluster = await start({
      envOfRole: {
        api: { KAFKA_BROKERS: withPassword, KAFKA_SASL: 'plain:api:wrong-battery' },
        worker: { KAFKA_BROKERS: passwordAndTls, KAFKA_TLS: 'true', KAFKA_SASL: `plain:worker:${password}` },
        dispatcher: { KAFKA_BROKERS: withPassword, KAFKA_SASL: `scram-sha-256:stranger:${password}` },
      },
    });
    const receiver = await WebhookReceiver.open();
    const api = await client(cluster);
    await api.createEndpoint({ url: receiver.url });
    await doneJob(api);
    await eventually(() => receiver.received().length === 1, { withinMs: 20_000 });
    await receiver.close();
    expect(await logged('api-1', 'outbox.not-published')).toMatch(/"level":40.*SASL PLAIN authentication failed/);
    expect(await logged('worker-1', 'outbox.not-published')).toMatch(/"level":40.*self-signed certificate/);
    expect(await logged('worker-1', 'kafka.unreachable')).toMatch(/"level":40.*self-signed certificate/);
    expect(await logged('dispatcher-1', 'kafka.unreachable')).toMatch(/"level":40.*not authorized/i);
    expect(await logged('dispatcher-1', 'outbox.not-published')).toMatch(/"level":40.*not authorized/i);
    const ready = await fetch(`${cluster.apiUrls[0] ?? ''}/readyz`);
    expect([ready.status, await ready.json()]).toEqual([
      200,
      expect.objectContaining({ status: 'ready', kafka: 'unreachable' }),
    ]);
    const written = roles.flatMap((role) => cluster.process(`${role}-1`).logs.map(({ text }) => text)).join('\n');
    expect(written).not.toMatch(/wrong-battery|correct-horse/);
    const [waiting] = await cluster.query<{ count: number }>(
      "SELECT count(*)::int FROM outbox WHERE state = 'pending'",
    );
    expect(waiting?.count).toBe(2);
  });

  function secured() {
    if (broker.secured === undefined) throw new Error('the broker has no secured listeners');
    return broker.secured;
  }

  /** As an operator does. */
  async function createTopics(): Promise<void> {
    const env = { KAFKA_BROKERS: secured().password, KAFKA_SASL: `scram-sha-512:topics:${password}` };
    const file = join(packageRoot, 'dist', 'apps', 'api', 'src', 'cli', 'topics.js');
    await run(process.execPath, [file], { env: { ...process.env, NODE_OPTIONS: '', ...env }, timeout: 30_000 });
  }

  async function start(options: ClusterOptions): Promise<Cluster> {
    running = await Cluster.start(options);
    return running;
  }

  async function client(cluster: Cluster): Promise<ApiClient> {
    return new ApiClient(cluster.apiUrls[0] ?? '', await cluster.createKey('secured'));
  }

  async function doneJob(api: ApiClient): Promise<string> {
    const answer = await api.submitFiles([{ name: 'a.pdf', bytes: await samplePdf([100]) }]);
    const { id } = answer.json<{ id: string }>();
    expect((await api.endedJob(id)).state).toBe('completed');
    return id;
  }

  async function logged(name: string, message: string): Promise<string> {
    const process = running?.process(name);
    const line = await process?.waitForLog(({ fields }) => fields?.['msg'] === message, { withinMs: 30_000 });
    return line?.text ?? '';
  }

  async function keysOf(topic: string): Promise<(string | undefined)[]> {
    const reader = await new TopicReader(broker.brokers, topic).start();
    try {
      await eventually(() => reader.messages.length > 0, { withinMs: 20_000, describe: `records of ${topic}` });
      return reader.messages.map(({ key }) => key?.toString());
    } finally {
      await reader.stop();
    }
  }

  async function writeGarbage(): Promise<void> {
    const producer = new Kafka({ brokers: broker.brokers, logLevel: logLevel.NOTHING }).producer();
    await producer.connect();
    for (const topic of Object.values(topics)) {
      await producer.send({ topic, messages: [{ key: 'garbage', value: 'no event' }] });
    }
    await producer.disconnect();
  }

  /** Gives the users of the broker the rights of the table, and no others. */
  async function allowAsDocumented(): Promise<void> {
    const document = await readFile(join(packageRoot, 'docs', 'kafka.md'), 'utf8');
    const acl = tableBelow(document, '### Rights').flatMap(([role = '', resource = '', operations = '']) => {
      const [, kind = '', name = ''] = /^(topic|group) `([^`]+)`$/.exec(resource) ?? [];
      return operations.split(', ').map((operation) => ({
        resourceType: kind === 'topic' ? AclResourceTypes.TOPIC : AclResourceTypes.GROUP,
        resourceName: name,
        resourcePatternType: ResourcePatternTypes.LITERAL,
        principal: `User:${role}`,
        host: '*',
        operation: AclOperationTypes[operation.toUpperCase() as keyof typeof AclOperationTypes],
        permissionType: AclPermissionTypes.ALLOW,
      }));
    });
    expect(acl.length).toBeGreaterThan(15);
    const admin = new Kafka({ brokers: broker.brokers, logLevel: logLevel.NOTHING }).admin();
    await admin.connect();
    await admin.createAcls({ acl });
    await admin.disconnect();
  }
});
