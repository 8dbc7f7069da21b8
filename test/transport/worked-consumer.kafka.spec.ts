import { spawn, type ChildProcess } from 'node:child_process';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { OutboxRecord } from '#libs/messaging';
import { Kafka, logLevel } from 'kafkajs';
import ts from 'typescript';
import { eventually } from '../support/eventually.js';
import { type KafkaBroker, startKafkaBroker } from '../support/kafka-broker.js';
import { killWithThisProcess } from '../support/kill-with-this-process.js';
import { packageRoot } from '../support/package-root.js';
import { startTestPostgres, type TestPostgres } from '../support/postgres.js';
import { KafkaBench } from './kafka-bench.js';
import { outboxRecord } from './transport.contract.js';

const states = ['completed', 'failed', 'cancelled'];

describe('the consumer of docs/kafka.md', () => {
  const members: ChildProcess[] = [];
  let broker: KafkaBroker;
  let postgres: TestPostgres;
  let databaseUrl: string;
  let bench: KafkaBench;
  let directory: string;
  let program: string;

  beforeAll(async () => {
    [broker, postgres] = await Promise.all([startKafkaBroker(), startTestPostgres()]);
    bench = await new KafkaBench(broker.brokers, 6).createTopics();
    databaseUrl = await postgres.createDatabase();
    await postgres.query(await documented('sql'), [], databaseUrl);
    directory = await mkdtemp(join(packageRoot, 'dist', 'documented-'));
    program = join(directory, 'consumer.mjs');
    const source = (await documented('ts')).replaceAll('pdfonce.events.v1', bench.topic);
    await writeFile(program.replace('.mjs', '.mts'), source);
    expect(compile(program.replace('.mjs', '.mts'))).toEqual([]);
  }, 120_000);

  afterAll(async () => {
    for (const member of members) member.kill('SIGKILL');
    await bench?.close();
    await postgres?.stop();
    await broker?.stop();
    if (directory) await rm(directory, { recursive: true });
  }, 60_000);

  it('has the effect of each event once, whatever comes twice and whoever joins, leaves or dies (contract 5.2)', async () => {
    start();
    await joined(1);
    const sent = events(120);
    await twice(sent.slice(0, 40));
    start();
    await twice(sent.slice(40, 80));
    await joined(2);
    await eventually(async () => (await taken()) >= 60, { withinMs: 30_000 });
    members[0]?.kill('SIGKILL');
    start();
    await twice(sent.slice(80));
    await joined(2);
    const second = members[1];
    second?.kill('SIGTERM');
    await twice(sent);
    await eventually(async () => (await lag()) === 0, { withinMs: 60_000, describe: 'every record was read' });
    expect(await taken()).toBe(sent.length);
    const counted = await postgres.query('SELECT state, jobs::int FROM ended_jobs ORDER BY state', [], databaseUrl);
    expect(counted).toEqual([...states].sort().map((state) => ({ state, jobs: sent.length / states.length })));
    await eventually(() => second?.exitCode === 0, {
      withinMs: 20_000,
      describe: 'the member that left ended',
    });
  }, 180_000);

  function start(): void {
    const env = {
      ...process.env,
      NODE_OPTIONS: '',
      KAFKA_BROKERS: broker.brokers.join(','),
      DATABASE_URL: databaseUrl,
    };
    const member = spawn(process.execPath, [program], { env: { ...env, GROUP_ID: bench.groupId }, stdio: 'ignore' });
    if (member.pid !== undefined) killWithThisProcess(member.pid);
    members.push(member);
  }

  function events(count: number): OutboxRecord[] {
    return Array.from({ length: count }, (_, index) => {
      const state = states[index % states.length];
      const type = `job.${state ?? ''}`;
      const record = outboxRecord(bench.topic, { type, key: `job_${index}` });
      return { ...record, body: JSON.stringify({ id: record.eventId, type, data: { state } }) };
    });
  }

  async function twice(records: readonly OutboxRecord[]): Promise<void> {
    for (const record of records) await bench.publish([record, record]);
  }

  async function taken(): Promise<number> {
    const [row] = await postgres.query<{ count: number }>('SELECT count(*)::int FROM inbox', [], databaseUrl);
    return row?.count ?? 0;
  }

  async function joined(count: number): Promise<void> {
    await withAdmin(async (admin) => {
      const settled = async () => {
        const { groups } = await admin.describeGroups([bench.groupId]);
        return groups[0]?.state === 'Stable' && groups[0].members.length === count;
      };
      await eventually(settled, { withinMs: 60_000, everyMs: 100, describe: `${count} members share the partitions` });
    });
  }

  /** How many records the group has not acknowledged. */
  async function lag(): Promise<number> {
    return withAdmin(async (admin) => {
      const ends = await admin.fetchTopicOffsets(bench.topic);
      const [group] = await admin.fetchOffsets({ groupId: bench.groupId, topics: [bench.topic] });
      const read = new Map(group?.partitions.map(({ partition, offset }) => [partition, Number(offset)]));
      return ends.reduce((sum, { partition, high }) => sum + Number(high) - Math.max(0, read.get(partition) ?? 0), 0);
    });
  }

  async function withAdmin<T>(use: (admin: ReturnType<Kafka['admin']>) => Promise<T>): Promise<T> {
    const admin = new Kafka({ brokers: broker.brokers, logLevel: logLevel.NOTHING }).admin();
    await admin.connect();
    try {
      return await use(admin);
    } finally {
      await admin.disconnect();
    }
  }
});

/** The block of a language in the section of the document. */
async function documented(language: string): Promise<string> {
  const document = await readFile(join(packageRoot, 'docs', 'kafka.md'), 'utf8');
  const section = document.split('\n## A consumer\n')[1]?.split('\n## ')[0] ?? '';
  const [, block] = new RegExp(`\n\`\`\`${language}\n([^]*?)\n\`\`\`\n`).exec(section) ?? [];
  if (block === undefined) throw new Error(`docs/kafka.md has no ${language} block for a consumer`);
  return block;
}

/** Compiles a file beside itself. @returns what is wrong with its types */
function compile(file: string): string[] {
  const program = ts.createProgram([file], {
    strict: true,
    module: ts.ModuleKind.NodeNext,
    moduleResolution: ts.ModuleResolutionKind.NodeNext,
    target: ts.ScriptTarget.ES2022,
    skipLibCheck: true,
    types: ['node'],
  });
  program.emit();
  return ts.getPreEmitDiagnostics(program).map(({ messageText }) => ts.flattenDiagnosticMessageText(messageText, '\n'));
}
