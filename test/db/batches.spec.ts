import { createHash } from 'node:crypto';
import { jobSubmittedCommand, type JobState, typeId } from '#libs/domain';
import {
  ApiKeyStore,
  BatchReader,
  type IdempotencyRecord,
  AdmissionStore,
  JobReader,
  type KeyMode,
  type NewBatch,
  type NewJob,
  type NewJobInput,
} from '#libs/persistence';
import { uuidv7 } from 'uuidv7';
import { JobRecords, retention } from '../worker/job-records.js';

const key = 'order-42';
const topic = 'pdfonce.jobs.v1';

let records: JobRecords;
let admissions: AdmissionStore;
let jobs: JobReader;
let batches: BatchReader;
let accountId: string;
let keyId: string;

beforeAll(async () => {
  records = await JobRecords.open();
  admissions = new AdmissionStore(records.database, { topic, state: 'pending' });
  jobs = new JobReader(records.database);
  batches = new BatchReader(records.database);
}, 60_000);

afterAll(() => records.close());

beforeEach(async () => {
  await records.clear();
  accountId = await records.account();
  keyId = uuidv7();
  const secretSha256 = createHash('sha256').update(keyId).digest();
  const apiKey = { id: keyId, accountId, name: 'test', secretSha256, scopes: [] };
  await records.database.transaction((tx) => new ApiKeyStore(records.database).create(tx, apiKey));
});

function newJob(inputs: readonly NewJobInput[], createdAt: Date): NewJob {
  const id = uuidv7();
  return {
    id,
    accountId,
    operation: 'merge',
    options: { note: 'ä"\\' },
    metadata: { order: '42' },
    idempotencyKey: key,
    progress: { done: 0, total: inputs.length, unit: 'inputs' },
    createdAt,
    inputs,
    command: jobSubmittedCommand(uuidv7(), id, 'merge', createdAt),
  };
}

/** A batch with one job for each list of inputs. */
function newBatch(inputs: readonly (readonly NewJobInput[])[]): NewBatch {
  const createdAt = new Date('2026-11-30T10:00:00.123Z');
  const items = inputs.map((own, index) => ({ clientItemId: `item-${index}`, job: newJob(own, createdAt) }));
  return { id: uuidv7(), accountId, idempotencyKey: key, createdAt, items };
}

function recordOf(batch: NewBatch): IdempotencyRecord {
  const location = `/v1/batches/${typeId('batch', batch.id)}`;
  const answer = { status: 202, location, contentType: 'application/json', body: batch.id };
  return { accountId, route: 'POST /v1/batches', key, fingerprint: 'f', answer, isSealed: false };
}

function admit(batch: NewBatch, mode: KeyMode = 'insert') {
  return admissions.admitBatch(keyId, batch, { record: recordOf(batch), mode });
}

async function counts() {
  const tables = ['batches', 'jobs', 'job_inputs', 'idempotency_keys', 'outbox'];
  return Promise.all(tables.map((table) => records.count(table)));
}

const nothing = [0, 0, 0, 0, 0];
const twoItems = [[], []];

async function document(): Promise<NewJobInput> {
  const objectId = await records.object(accountId);
  const stored = { objectId, name: 'ä".pdf', mediaType: 'application/pdf', sizeBytes: 7, sha256: 'cd'.repeat(32) };
  return { document: stored, source: null };
}

describe('the admission of a batch', () => {
  it('makes batch, key, jobs, inputs and commands true at once, in the order of the items (contract 1.4, 2.14)', async () => {
    const [a, b] = [await document(), await document()];
    const batch = newBatch([[a, b], [b], [a, a, b]]);
    const admission = await admit(batch);
    if (admission.kind !== 'admitted') throw new Error(admission.kind);
    const ids = batch.items.map(({ job }) => job.id);
    expect(admission.records.map((row) => row.key)).toEqual(ids.map((id) => typeId('job', id)));
    const outbox = await records.run<{ id: string; key: string; body: string }>(
      'SELECT id::text, key, body FROM outbox ORDER BY id',
    );
    expect(outbox).toEqual(admission.records.map(({ id, key: jobKey, body }) => ({ id, key: jobKey, body })));
    expect(await counts()).toEqual([1, 3, 6, 1, 3]);

    const listed = await jobs.listOfBatch(accountId, batch.id, { limit: 10 });
    expect(listed.map((job) => job.id)).toEqual(ids);
    expect(listed.map((job) => job.clientItemId)).toEqual(['item-0', 'item-1', 'item-2']);
    expect(listed.map((job) => job.inputs.length)).toEqual([2, 1, 3]);
    expect(listed[0]).toMatchObject({
      ...{ state: 'queued', attempt: 0, idempotencyKey: key, batchId: batch.id, metadata: { order: '42' } },
      ...{ createdAt: batch.createdAt, progress: { done: 0, total: 2, unit: 'inputs' } },
    });
    expect(listed[0]?.inputs[0]).toEqual({
      ...{ name: 'ä".pdf', mediaType: 'application/pdf', sizeBytes: 7, sha256: 'cd'.repeat(32) },
    });
    const [options] = await records.run('SELECT options FROM jobs LIMIT 1');
    expect(options).toEqual({ options: { note: 'ä"\\' } });
    expect((await jobs.list(accountId, { idempotencyKey: key, limit: 10 })).map((job) => job.id)).toEqual(
      [...ids].reverse(),
    );
  });

  it('lets exactly one of 20 requests with one key make its jobs (contract 1.4)', async () => {
    const outcomes = await Promise.all(Array.from({ length: 20 }, () => admit(newBatch(twoItems))));
    expect(outcomes.filter(({ kind }) => kind === 'admitted')).toHaveLength(1);
    expect(outcomes.filter(({ kind }) => kind === 'held')).toHaveLength(19);
    expect(await counts()).toEqual([1, 2, 0, 1, 2]);
  });

  it('lets exactly one of 20 requests replace an expired key (contract 1.11)', async () => {
    await admit(newBatch(twoItems));
    await records.run(`UPDATE idempotency_keys SET expires_at = now() - interval '1 second'`);
    const outcomes = await Promise.all(Array.from({ length: 20 }, () => admit(newBatch(twoItems), 'replace')));
    expect(outcomes.filter(({ kind }) => kind === 'admitted')).toHaveLength(1);
    expect(await counts()).toEqual([2, 4, 0, 1, 4]);
  });

  it('writes nothing for a revoked API key, with or without an idempotency key (contract 1.10)', async () => {
    await records.run('UPDATE api_keys SET revoked_at = now()');
    expect(await admit(newBatch(twoItems))).toEqual({ kind: 'unauthorized' });
    expect(await admissions.admitBatch(keyId, newBatch(twoItems), null)).toEqual({ kind: 'unauthorized' });
    expect(await counts()).toEqual(nothing);
  });

  it('writes nothing when a document of one item is gone (contract 2.14)', async () => {
    const gone = await document();
    await records.run('DELETE FROM objects');
    await expect(admit(newBatch([[], [gone]]))).rejects.toMatchObject({ constraint: 'job_inputs_object_exists' });
    expect(await counts()).toEqual(nothing);
  });

  it('writes nothing when an awaited job of one item has ended, and lets the item wait otherwise', async () => {
    const [sourceId, otherId] = [await records.queue({ accountId }), await records.queue({ accountId })];
    const awaiting = newBatch([
      [{ document: null, source: { jobId: sourceId, output: 1 } }],
      [{ document: null, source: { jobId: otherId, output: 0 } }],
      [],
    ]);
    await records.claim(1, [otherId]);
    await records.run(
      `UPDATE jobs SET state = 'failed', error = '{}', lease_until = NULL, finished_at = now() WHERE id = $1`,
      [otherId],
    );
    expect(await admit(awaiting)).toEqual({ kind: 'input-ended' });
    expect(await records.count('batches')).toBe(0);

    const [first, , third] = awaiting.items;
    const items = [first, third].filter((item) => item !== undefined);
    expect(await admit({ ...awaiting, items })).toMatchObject({ kind: 'admitted' });
    const rows = await records.run(
      'SELECT client_item_id, awaits_inputs FROM jobs WHERE batch_id IS NOT NULL ORDER BY id',
    );
    expect(rows).toEqual([
      { client_item_id: 'item-0', awaits_inputs: true },
      { client_item_id: 'item-2', awaits_inputs: false },
    ]);
  });

  it('takes 1,000 items with 10 inputs each well within the bound of its statement', async () => {
    const input = await document();
    const batch = newBatch(Array.from({ length: 1_000 }, () => Array.from({ length: 10 }, () => input)));
    const from = performance.now();
    expect(await admit(batch)).toMatchObject({ kind: 'admitted' });
    expect(performance.now() - from).toBeLessThan(5_000);
    expect(await counts()).toEqual([1, 1_000, 10_000, 1, 1_000]);
  });
});

describe('a batch', () => {
  it('is read with how many of its jobs are in each state, and ends with its last job (contract 2.14)', async () => {
    const { batchId, jobIds } = await records.batch(accountId, 3);
    const none = { queued: 0, processing: 0, completed: 0, failed: 0, cancelled: 0 };
    const isOpenWith = async (counts: object) =>
      expect(await batches.find(accountId, batchId)).toMatchObject({
        ...{ id: batchId, state: 'processing', items: 3, counts: { ...none, ...counts } },
        ...{ finishedAt: null, expiresAt: null },
      });
    await isOpenWith({ queued: 3 });
    const [claimed] = await records.claim(1, jobIds.slice(0, 1));
    if (claimed === undefined) throw new Error('nothing to claim');
    await isOpenWith({ queued: 2, processing: 1 });
    await records.settleJob().settle(claimed, await records.completion(claimed));
    await isOpenWith({ queued: 2, completed: 1 });
    expect(await jobs.find(accountId, claimed.jobId)).toMatchObject({ state: 'completed', expiresAt: null });
    await records.database.transaction((tx) => records.endJob.cancelBatch(tx, accountId, batchId));

    const [row] = await records.run<{ finished_at: Date }>('SELECT finished_at FROM batches');
    if (row === undefined) throw new Error('no batch');
    const end = { finishedAt: row.finished_at, expiresAt: new Date(row.finished_at.getTime() + retention.jobMs) };
    const counts = { ...none, completed: 1, cancelled: 2 };
    expect(await batches.find(accountId, batchId)).toMatchObject({ state: 'completed', items: 3, counts, ...end });
    for (const { expiresAt } of await jobs.listOfBatch(accountId, batchId, { limit: 3 }))
      expect(expiresAt).toEqual(end.expiresAt);
  });

  it('is nothing to another account, and neither are its jobs (contract 7.3)', async () => {
    const { batchId } = await records.batch(accountId, 1);
    const otherId = await records.account();
    expect(await batches.find(otherId, batchId)).toBeNull();
    expect(await jobs.listOfBatch(otherId, batchId, { limit: 10 })).toEqual([]);
  });

  it('has pages that repeat and skip no job while its jobs change and others are added (contract 2.14)', async () => {
    const { batchId, jobIds } = await records.batch(accountId, 23);
    const seen: string[] = [];
    for (;;) {
      const [page] = await Promise.all([
        jobs.listOfBatch(accountId, batchId, { after: seen.at(-1), limit: 5 }),
        records.claim(2),
        records.batch(accountId, 2),
      ]);
      if (page.length === 0) break;
      seen.push(...page.map((job) => job.id));
    }
    expect(seen).toEqual(jobIds);
  });

  it('lists its jobs of one state, page by page', async () => {
    const { batchId, jobIds } = await records.batch(accountId, 5);
    await records.claim(
      5,
      [jobIds[1], jobIds[3]].filter((id) => id !== undefined),
    );
    const listed = async (state: JobState, after?: string) =>
      (await jobs.listOfBatch(accountId, batchId, { state, after, limit: 2 })).map((job) => jobIds.indexOf(job.id));
    expect(await listed('processing')).toEqual([1, 3]);
    expect(await listed('queued')).toEqual([0, 2]);
    expect(await listed('queued', jobIds[2])).toEqual([4]);
    expect(await listed('completed')).toEqual([]);
  });
});
