import { eventually } from '../support/eventually.js';
import { AdmissionStore, type JobEnding, type NewJob, PruneStore, type Queryable } from '#libs/persistence';
import { jobSubmittedCommand } from '#libs/domain';
import { uuidv7 } from 'uuidv7';
import { missingInput } from '../../apps/worker/src/run-job/missing-input.js';
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

/** Claims a job by its id and ends it, completed if no other end is given. */
async function end(jobId: string, ending?: JobEnding): Promise<void> {
  const [job] = await records.claim(1, [jobId]);
  if (job?.jobId !== jobId) throw new Error(`${jobId} was not claimed`);
  await records.settleJob().settle(job, ending ?? (await records.completion(job)));
}

function jobAwaiting(...sources: readonly string[]): NewJob {
  const id = uuidv7();
  const createdAt = new Date();
  return {
    ...{ id, accountId, operation: 'merge', options: {}, metadata: {}, idempotencyKey: null, createdAt },
    progress: { done: 0, total: sources.length, unit: 'inputs' },
    inputs: sources.map((jobId) => ({ document: null, source: { jobId, output: 0 } })),
    command: jobSubmittedCommand(uuidv7(), id, 'merge', createdAt),
  };
}

function admissions(database: Queryable = records.database): AdmissionStore {
  return new AdmissionStore(database, { topic: 'pdfonce.jobs.v1', state: 'local' });
}

describe('a job that awaits the output of another', () => {
  it('is not claimed before that job has ended, in turn or by name (contract 2.8)', async () => {
    const source = await records.queue({ accountId });
    const dependent = await records.queue({ accountId, awaits: [source] });
    expect(await records.claim(5, [dependent])).toMatchObject([{ jobId: source }]);
    expect(await records.claim(5)).toEqual([]);
  });

  it('is claimed with the document that the other made, and with those it had (contract 2.8)', async () => {
    const source = await records.queue({ accountId });
    const upload = await records.object(accountId);
    const dependent = await records.queue({ accountId, inputs: [upload], awaits: [source] });
    await end(source);
    const [claimed] = await records.claim(5);
    expect(claimed).toMatchObject({ jobId: dependent, attempt: 1 });
    expect(claimed?.inputs).toMatchObject([
      { name: 'a.pdf', objectName: `uploads/${upload}`, missing: null },
      { name: 'merged.pdf', objectName: expect.stringMatching(new RegExp(`^${source}/1/`)), missing: null },
    ]);
    const [input] = await records.run('SELECT * FROM job_inputs WHERE job_id = $1 AND index = 1', [dependent]);
    expect(input).toMatchObject({ name: 'merged.pdf', size: 7, source_job_id: source, source_output: 0 });
  });

  it('is ready when two jobs that it awaits end at the same moment (contract 2.8)', async () => {
    const sources = [await records.queue({ accountId }), await records.queue({ accountId })];
    const dependent = await records.queue({ accountId, awaits: sources });
    const [first, second] = await records.claim(2);
    if (first === undefined || second === undefined) throw new Error('two jobs are ready');
    const held = await records.hold((tx) => records.endJob.settle(tx, first, failure, keyring.currentId));
    const settling = records.settleJob().settle(second, failure);
    await eventually(async () => (await records.waitingForLocks()) === 1, { withinMs: 5_000 });
    await held.commit();
    expect(await settling).toBe('settled');
    expect(await records.claim(5)).toMatchObject([{ jobId: dependent }]);
  });

  it.each([
    ['failed', failure, 'which failed'],
    ['completed without such an output', { state: 'completed', outputs: [], warnings: [], total: 2 }, 'no such output'],
  ] as const)('is failed without an attempt when the other %s (contract 2.8)', async (_, ending, cause) => {
    const source = await records.queue({ accountId });
    const dependent = await records.queue({ accountId, awaits: [source] });
    await end(source, ending);
    const job = await records.claimOne();
    expect(job).toMatchObject({ jobId: dependent, attempt: 0, claim: 1 });
    const error = missingInput(job.inputs);
    expect(error).toMatchObject({ code: 'input_failed', retryable: false, input: 0 });
    expect(error?.message).toContain(cause);
    if (error === null) throw new Error('an input is missing');
    await records.settleJob().settle(job, { state: 'failed', error });
    expect(await records.job(dependent)).toMatchObject({ state: 'failed', attempt: 0, started_at: null });
    expect(await records.count('job_attempts')).toBe(1);
  });

  it('goes back to the queue when the worker that was to fail it dies', async () => {
    const source = await records.queue({ accountId });
    const dependent = await records.queue({ accountId, awaits: [source] });
    await end(source, failure);
    await records.claimOne();
    await records.endLease(dependent);
    expect(await records.store.rescue(3, leaseMs)).toMatchObject([{ jobId: dependent, outcome: 'queued' }]);
    expect(await records.job(dependent)).toMatchObject({ state: 'queued', attempt: 0 });
  });

  it('takes a chain of 100 with it, each after the one before (contract 2.8)', async () => {
    const chain = [await records.queue({ accountId })];
    for (let link = 1; link < 100; link += 1) chain.push(await records.queue({ accountId, awaits: chain.slice(-1) }));
    await end(chain[0] ?? '', failure);
    for (const link of chain.slice(1)) {
      const job = await records.claimOne();
      expect(job.jobId).toBe(link);
      const error = missingInput(job.inputs);
      if (error !== null) await records.settleJob().settle(job, { state: 'failed', error });
    }
    expect(await records.run('SELECT DISTINCT state FROM jobs')).toEqual([{ state: 'failed' }]);
    expect(await records.count('events')).toBe(100);
  });
});

describe('the admission of a job that awaits another', () => {
  it('keeps that job from ending before it is committed, so its end is not missed (contract 2.8)', async () => {
    const key = await records.apiKey(accountId);
    const source = await records.queue({ accountId });
    const [running] = await records.claim(1);
    if (running === undefined) throw new Error('the job is ready');
    const job = jobAwaiting(source);
    const held = await records.hold((tx) => admissions(tx).admitJob(key, job, null));
    const settling = records.settleJob().settle(running, failure);
    await eventually(async () => (await records.waitingForLocks()) === 1, { withinMs: 5_000 });
    await held.commit();
    expect(await settling).toBe('settled');
    expect(await records.claim(5)).toMatchObject([{ jobId: job.id }]);
  });

  it('writes nothing and says so when that job ended while it waited', async () => {
    const key = await records.apiKey(accountId);
    const source = await records.queue({ accountId });
    const [running] = await records.claim(1);
    if (running === undefined) throw new Error('the job is ready');
    const held = await records.hold((tx) => records.endJob.settle(tx, running, failure, keyring.currentId));
    const admission = admissions().admitJob(key, jobAwaiting(source), null);
    await eventually(async () => (await records.waitingForLocks()) === 1, { withinMs: 5_000 });
    await held.commit();
    expect(await admission).toEqual({ kind: 'input-ended' });
    expect(await records.count('jobs')).toBe(1);
  });

  it("does not take another account's job for one that it may await (contract 7.3)", async () => {
    const key = await records.apiKey(accountId);
    const source = await records.queue();
    expect(await admissions().admitJob(key, jobAwaiting(source), null)).toEqual({ kind: 'input-ended' });
  });
});

describe('an ended job', () => {
  it('keeps an expired output as long as an unfinished job is to find it (contract 2.8)', async () => {
    const prune = new PruneStore(records.database);
    const source = await records.queue({ accountId });
    const other = await records.queue({ accountId });
    const dependent = await records.queue({ accountId, awaits: [source, other] });
    await end(source);
    await records.run(`UPDATE job_outputs SET expires_at = now() - interval '1 second'`);
    await records.run(`UPDATE jobs SET expires_at = now() - interval '1 second' WHERE id = $1`, [source]);
    expect([await prune.outputs(10), await prune.jobs(10)]).toEqual([0, 0]);
    await end(other);
    const [claimed] = await records.claim(1);
    expect(claimed).toMatchObject({ jobId: dependent, inputs: [{ missing: null }, { missing: null }] });
    expect([await prune.outputs(10), await prune.jobs(10)]).toEqual([1, 0]);
    expect(await records.objectIds()).toHaveLength(2);
    if (claimed !== undefined) await records.settleJob().settle(claimed, failure);
    expect(await prune.jobs(10)).toBe(1);
  });
});
