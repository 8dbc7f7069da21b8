import { ClaimStore, type Database, type JobEnding } from '#libs/persistence';
import { eventually } from '../support/eventually.js';
import { JobRecords, keyring, leaseMs } from '../worker/job-records.js';

let records: JobRecords;
let accountId: string;

beforeAll(async () => {
  records = await JobRecords.open();
}, 60_000);

afterAll(() => records.close(), 60_000);

beforeEach(async () => {
  await records.clear();
  accountId = await records.account();
});

const failure: JobEnding = {
  state: 'failed',
  error: { code: 'not_a_pdf', message: 'Input 0 is not a PDF.', retryable: false, input: 0, limit: null },
};

const cancel = (jobId: string) => records.database.transaction((tx) => records.endJob.cancelJob(tx, accountId, jobId));
const cancelBatch = (batchId: string) =>
  records.database.transaction((tx) => records.endJob.cancelBatch(tx, accountId, batchId));

async function eventTypes(): Promise<Readonly<Record<string, number>>> {
  const rows = await records.run<{ type: string; count: number }>(
    'SELECT type, count(*) AS count FROM events GROUP BY type',
  );
  return Object.fromEntries(rows.map(({ type, count }) => [type, count]));
}

describe('the password of an input', () => {
  /** A job of this account with a password for each of two inputs. */
  async function queueLocked(batchId?: string): Promise<string> {
    const inputs = [await records.object(accountId), await records.object(accountId)];
    const jobId = await records.queue({ accountId, inputs, ...(batchId === undefined ? {} : { batchId }) });
    await records.run('UPDATE job_inputs SET sealed_password = $2, pages = $3 WHERE job_id = $1', [jobId, 's', '1-2']);
    return jobId;
  }

  const kept = () => records.run('SELECT FROM job_inputs WHERE sealed_password IS NOT NULL');

  it('is given to each attempt with the pages to take, and forgotten when the job completes or fails (contract 4.1)', async () => {
    await queueLocked();
    await records.store.requeue(await records.claimOne(), 0);
    const job = await records.claimOne();
    expect(job.inputs).toMatchObject(Array(2).fill({ sealedPassword: 's', pages: '1-2' }));
    expect(await kept()).toHaveLength(2);
    await records.settleJob().settle(job, await records.completion(job));
    expect(await kept()).toEqual([]);
    await queueLocked();
    await records.settleJob().settle(await records.claimOne(), failure);
    expect(await kept()).toEqual([]);
  });

  it('is forgotten when the job or its batch is cancelled (contract 4.1)', async () => {
    await cancel(await queueLocked());
    expect(await kept()).toEqual([]);
    const { batchId } = await records.batch(accountId, 1);
    const [running] = await records.claim();
    await records.run('UPDATE batches SET items = 2, open_items = 2 WHERE id = $1', [batchId]);
    await queueLocked(batchId);
    await records.run(`UPDATE job_inputs SET sealed_password = 's' WHERE job_id = $1`, [running?.jobId]);
    await cancelBatch(batchId);
    expect(await kept()).toEqual([]);
  });
});

describe('cancelling a job', () => {
  it('ends a queued job with its event, its key and its hold on inputs, and charges nothing (contract 2.12, 1.11, 2.15)', async () => {
    const jobId = await records.queue({ accountId, key: 'k', inputs: [await records.object(accountId)] });
    const { jobs, records: rows } = await cancel(jobId);
    expect(jobs).toMatchObject([{ id: jobId, state: 'cancelled', inputs: [{ name: 'a.pdf' }] }]);
    expect(rows).toMatchObject([{ type: 'job.cancelled' }]);
    expect(await records.run('SELECT object_id FROM job_inputs')).toEqual([{ object_id: null }]);
    expect(await records.run('SELECT FROM idempotency_keys WHERE expires_at IS NULL')).toEqual([]);
    expect(await records.count('usage_records')).toBe(0);
  });

  it('takes a running job from its worker, whose result is dropped (contract 2.12)', async () => {
    const jobId = await records.queue({ accountId });
    const job = await records.claimOne();
    expect((await cancel(jobId)).jobs).toHaveLength(1);
    expect(await records.store.renew([{ ...job, done: 1, total: 2 }], 1_000)).toEqual(new Set());
    expect(await records.settleJob().settle(job, await records.completion(job))).toBe('superseded');
    expect(await eventTypes()).toEqual({ 'job.cancelled': 1 });
    expect(await records.run('SELECT outcome FROM job_attempts')).toEqual([{ outcome: 'cancelled' }]);
  });

  it('finds nothing to cancel in a job that has ended, or that another account has', async () => {
    const jobId = await records.queue({ accountId });
    await cancel(jobId);
    expect((await cancel(jobId)).jobs).toEqual([]);
    expect((await cancel(await records.queue())).jobs).toEqual([]);
    expect(await eventTypes()).toEqual({ 'job.cancelled': 1 });
  });

  it('comes too late for a job whose end is being committed (contract 2.12)', async () => {
    const jobId = await records.queue({ accountId });
    const job = await records.claimOne();
    const held = await records.hold((tx) => records.endJob.settle(tx, job, failure, keyring.currentId));
    const cancelling = cancel(jobId);
    await eventually(async () => (await records.waitingForLocks()) === 1, { withinMs: 5_000 });
    await held.commit();
    expect((await cancelling).jobs).toEqual([]);
    expect(await eventTypes()).toEqual({ 'job.failed': 1 });
  });

  it('ends the attempt of a claim for which it waited', async () => {
    const jobId = await records.queue({ accountId });
    const claim = { limit: 1, leaseMs, afterAccountId: null, pollMs: 500 };
    const held = await records.hold((tx) => new ClaimStore(tx as unknown as Database).claim(claim));
    const cancelling = cancel(jobId);
    await eventually(async () => (await records.waitingForLocks()) === 1, { withinMs: 5_000 });
    await held.commit();
    expect((await cancelling).jobs).toMatchObject([{ id: jobId, attempt: 1 }]);
    expect(await records.run('SELECT outcome FROM job_attempts')).toEqual([{ outcome: 'cancelled' }]);
  });

  it('makes the jobs that await it ready to be failed', async () => {
    const source = await records.queue({ accountId });
    const dependent = await records.queue({ accountId, awaits: [source] });
    await cancel(source);
    expect(await records.claimOne()).toMatchObject({ jobId: dependent, inputs: [{ missing: { state: 'cancelled' } }] });
  });
});

describe('a job', () => {
  it.each([
    ['cancelled', cancel],
    ['settled', async () => records.settleJob().settle(await records.claimOne(), failure)],
  ] as const)('which is %s dates its own key, never the same key of another route (contract 1.11)', async (_, end) => {
    const jobId = await records.queue({ accountId, key: 'k' });
    await records.run(
      `INSERT INTO idempotency_keys (account_id, route, key, fingerprint, batch_id, status, content_type, body)
       VALUES ($1, 'POST /v1/batches', 'k', 'f', new_uuid_v7(), 202, 'application/json', '')`,
      [accountId],
    );
    await end(jobId);
    const dated = await records.run('SELECT route FROM idempotency_keys WHERE expires_at IS NOT NULL');
    expect(dated).toEqual([{ route: 'POST /v1/jobs' }]);
  });
});

describe('a batch', () => {
  it('ends once, with its key, when its last two jobs end at the same moment (contract 2.14, 1.11)', async () => {
    const { batchId } = await records.batch(accountId, 2);
    const [first, second] = await records.claim(2);
    if (first === undefined || second === undefined) throw new Error('two jobs are ready');
    const held = await records.hold((tx) => records.endJob.settle(tx, first, failure, keyring.currentId));
    const settling = records.settleJob().settle(second, await records.completion(second));
    expect(await records.run('SELECT FROM idempotency_keys WHERE expires_at IS NOT NULL')).toEqual([]);
    await eventually(async () => (await records.waitingForLocks()) === 1, { withinMs: 5_000 });
    await held.commit();
    expect(await settling).toBe('settled');
    expect(await eventTypes()).toEqual({ 'job.failed': 1, 'job.completed': 1, 'batch.completed': 1 });
    expect(await records.run('SELECT FROM idempotency_keys WHERE expires_at IS NOT NULL')).toHaveLength(1);
    expect(await records.run('SELECT FROM jobs WHERE expires_at IS NOT NULL')).toEqual([]);
    const [event] = await records.run<{ body: string; batch_id: string }>(
      `SELECT body, batch_id FROM events WHERE type = 'batch.completed'`,
    );
    expect(event?.batch_id).toBe(batchId);
    expect(JSON.parse(event?.body ?? '{}')).toMatchObject({
      data: {
        object: 'batch',
        state: 'completed',
        items: 2,
        counts: { queued: 0, processing: 0, completed: 1, failed: 1, cancelled: 0 },
        errors: [{ client_item_id: first.jobId, code: 'not_a_pdf' }],
        errors_total: 1,
      },
    });
  });

  it('ends once when it is cancelled while one of its jobs ends (contract 2.14)', async () => {
    const { batchId } = await records.batch(accountId, 50);
    const job = await records.claimOne();
    const held = await records.hold((tx) => records.endJob.settle(tx, job, failure, keyring.currentId));
    const cancelling = cancelBatch(batchId);
    await eventually(async () => (await records.waitingForLocks()) === 1, { withinMs: 5_000 });
    await held.commit();
    expect((await cancelling).jobs).toHaveLength(49);
    expect(await eventTypes()).toEqual({ 'job.failed': 1, 'job.cancelled': 49, 'batch.completed': 1 });
    expect((await cancelBatch(batchId)).jobs).toEqual([]);
  });

  it('is not ended by the cancellation of one of its jobs while another is open', async () => {
    const { batchId, jobIds } = await records.batch(accountId, 2);
    await cancel(jobIds[0] ?? '');
    expect(await records.run('SELECT open_items FROM batches WHERE finished_at IS NULL')).toEqual([{ open_items: 1 }]);
    await cancel(jobIds[1] ?? '');
    expect(await eventTypes()).toEqual({ 'job.cancelled': 2, 'batch.completed': 1 });
    expect(await records.run('SELECT FROM batches WHERE id = $1 AND finished_at IS NOT NULL', [batchId])).toHaveLength(
      1,
    );
  });

  it('names 20 of its failed jobs in its event, and says how many there are', async () => {
    await records.batch(accountId, 25);
    for (let item = 0; item < 25; item += 1) await records.settleJob().settle(await records.claimOne(), failure);
    const [event] = await records.run<{ body: string }>(`SELECT body FROM events WHERE type = 'batch.completed'`);
    const { data } = JSON.parse(event?.body ?? '{}') as { data: { errors: unknown[]; errors_total: number } };
    expect([data.errors.length, data.errors_total]).toEqual([20, 25]);
  });
});
