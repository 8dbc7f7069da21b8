import { setMaxListeners } from 'node:events';
import { Database, JobReader, statement } from '#libs/persistence';
import { AwaitWork, type Awaited } from '../../apps/api/src/answer-when-ended/await-work.js';
import { eventually } from '../support/eventually.js';
import { JobRecords, silentLog } from '../worker/job-records.js';

const longMs = 20_000;
const nobodyLeaves = new AbortController().signal;
setMaxListeners(0, nobodyLeaves);

let records: JobRecords;
let database: Database;
let statements: number;
let awaitWork: AwaitWork;
let accountId: string;

beforeAll(async () => {
  records = await JobRecords.open();
}, 60_000);

afterAll(() => records.close());

beforeEach(async () => {
  await records.clear();
  accountId = await records.account();
  database = new Database({ url: records.url, purpose: 'admission', poolSize: 2 });
  statements = 0;
  const reader = new JobReader(database);
  const endedAmong: JobReader['endedAmong'] = (inQuestion) => {
    statements += 1;
    return reader.endedAmong(inQuestion);
  };
  awaitWork = new AwaitWork({ endedAmong }, silentLog);
});

afterEach(async () => {
  awaitWork.close();
  await database.close();
});

async function cancelJob(jobId: string): Promise<void> {
  await records.database.transaction((tx) => records.endJob.cancelJob(tx, accountId, jobId));
}

async function cancelBatch(batchId: string): Promise<void> {
  await records.database.transaction((tx) => records.endJob.cancelBatch(tx, accountId, batchId));
}

const job = (id: string): Awaited => ({ kind: 'job', id });
const batch = (id: string): Awaited => ({ kind: 'batch', id });

describe('1,000 requests that wait', () => {
  it('hold no connection, share one query at a time, and are each told of their own (contract 1.14)', async () => {
    const { batchId, jobIds } = await records.batch(accountId, 500);
    const outcomes = new Map<string, boolean>();
    const waits = [
      ...jobIds.map((id) => ({ name: id, awaited: job(id) })),
      ...Array.from({ length: 500 }, (_, index) => ({ name: `batch ${index}`, awaited: batch(batchId) })),
    ].map(async ({ name, awaited }) => {
      outcomes.set(name, await awaitWork.ended(awaited, longMs, nobodyLeaves));
    });
    await eventually(() => statements >= 3);
    const before = statements;
    const from = performance.now();
    for (let read = 0; read < 100; read += 1) await database.query(statement('', 'SELECT 1'));
    expect(performance.now() - from).toBeLessThan(2_000);
    expect(statements - before).toBeLessThanOrEqual((performance.now() - from) / 100 + 1);
    expect(outcomes.size).toBe(0);

    const [first = '', ...others] = jobIds;
    await cancelJob(first);
    await eventually(() => outcomes.get(first) === true);
    expect(outcomes.size).toBe(1);
    await cancelBatch(batchId);
    await Promise.all(waits);
    expect([...outcomes.values()].every(Boolean)).toBe(true);
    expect(outcomes.size).toBe(1 + others.length + 500);
  });

  it('end at once when the process drains, and nobody waits afterwards (contract 1.14)', async () => {
    const id = await records.queue({ accountId });
    const waits = Array.from({ length: 1_000 }, () => awaitWork.ended(job(id), longMs, nobodyLeaves));
    await eventually(() => statements > 0);
    awaitWork.close();
    expect((await Promise.all(waits)).some(Boolean)).toBe(false);
    expect(await awaitWork.ended(job(id), longMs, nobodyLeaves)).toBe(false);
  });
});

describe('a request that waits', () => {
  it('is told at once of what ended before it began to wait, even when it waits for no time (contract 1.14)', async () => {
    const id = await records.queue({ accountId });
    await cancelJob(id);
    const { batchId } = await records.batch(accountId, 1);
    await cancelBatch(batchId);
    expect(await awaitWork.ended(job(id), 0, nobodyLeaves)).toBe(true);
    expect(await awaitWork.ended(batch(batchId), 0, nobodyLeaves)).toBe(true);
  });

  it('is not told of a batch of which one job has not ended', async () => {
    const { batchId, jobIds } = await records.batch(accountId, 2);
    await cancelJob(jobIds[0] ?? '');
    expect(await awaitWork.ended(batch(batchId), 300, nobodyLeaves)).toBe(false);
  });

  it('stops waiting when its client leaves', async () => {
    const leaving = new AbortController();
    const waiting = awaitWork.ended(job(await records.queue({ accountId })), longMs, leaving.signal);
    await eventually(() => statements > 0);
    leaving.abort();
    expect(await waiting).toBe(false);
  });

  it('waits on while the database is away, and is told when it is back', async () => {
    const id = await records.queue({ accountId });
    const waiting = awaitWork.ended(job(id), longMs, nobodyLeaves);
    await eventually(() => statements > 0);
    await records.loseConnections('pdfonce admission');
    await cancelJob(id);
    expect(await waiting).toBe(true);
  });
});
