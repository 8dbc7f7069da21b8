import type { OutboxRecord } from '#libs/messaging';
import { type ClaimedJob, Database, type JobEnding } from '#libs/persistence';
import { exhausted } from '../../apps/worker/src/run-job/exhausted.js';
import { EndAttempt } from '../../apps/worker/src/run-job/end-attempt.js';
import { RunningJob } from '../../apps/worker/src/run-job/running-job.js';
import { JobRecords, keyring, leaseMs, silentLog, sql } from '../worker/job-records.js';

let records: JobRecords;
let announced: OutboxRecord[];
const announcer = { announce: (rows: readonly OutboxRecord[]) => void announced.push(...rows) };
const failure: JobEnding = {
  state: 'failed',
  error: { code: 'not_a_pdf', message: 'Input 0 is not a PDF.', retryable: false, input: 0, limit: null },
};

beforeAll(async () => {
  records = await JobRecords.open();
}, 60_000);

afterAll(() => records.close(), 60_000);

beforeEach(async () => {
  announced = [];
  await records.clear();
});

async function claimed(): Promise<ClaimedJob> {
  const accountId = await records.account();
  await records.queue({ accountId, key: 'order-42', inputs: [await records.object(accountId)] });
  return records.claimOne();
}

/** Another worker has the job now. */
async function takenOver(job: ClaimedJob): Promise<ClaimedJob> {
  await records.endLease(job.jobId);
  await records.store.rescue(3, leaseMs);
  await records.run('UPDATE jobs SET ready_at = now()');
  return records.claimOne();
}

async function traces() {
  const [keys] = await records.run<{ expiry: Date | null }>('SELECT expires_at AS expiry FROM idempotency_keys');
  return {
    events: await records.count('events'),
    usage: await records.count('usage_records'),
    outputs: await records.count('job_outputs'),
    outbox: await records.count('outbox'),
    isKeyExpiring: keys?.expiry !== null,
  };
}

const nothing = { events: 0, usage: 0, outputs: 0, outbox: 0, isKeyExpiring: false };
const onceCompleted = { events: 1, usage: 1, outputs: 1, outbox: 1, isKeyExpiring: true };

describe('settling a completed job', () => {
  it('writes its end, output, usage record, key expiry and event in one transaction, and lets its inputs go (contract 1.11, 2.3, 2.15)', async () => {
    const job = await claimed();
    expect(await records.settleJob(announcer).settle(job, await records.completion(job))).toBe('settled');
    const row = await records.job(job.jobId);
    expect(row).toMatchObject({ state: 'completed', lease_until: null, warnings: ['repaired'], error: null });
    expect(row).toMatchObject({ progress_done: 2, progress_total: 2, claim: 1, attempt: 1 });
    expect(await traces()).toEqual(onceCompleted);
    const finishedAt = (row['finished_at'] as Date).getTime();
    expect((row['expires_at'] as Date).getTime() - finishedAt).toBe(40_000);
    const [output] = await records.run('SELECT *, encode(sha256, $1) AS hash FROM job_outputs', ['hex']);
    expect(output).toMatchObject({
      index: 0,
      name: 'merged.pdf',
      pages: 6,
      size: 7,
      hash: 'cd'.repeat(32),
      link_key_id: keyring.currentId,
    });
    expect((output as { expires_at: Date }).expires_at.getTime() - finishedAt).toBe(30_000);
    const [usage] = await records.run('SELECT * FROM usage_records');
    expect(usage).toMatchObject({
      job_id: job.jobId,
      account_id: job.accountId,
      operation: 'merge',
      pages: 6,
      input_bytes: 100,
      output_bytes: 7,
    });
    expect(await records.run('SELECT object_id, size FROM job_inputs')).toEqual([{ object_id: null, size: 100 }]);
    const [key] = await records.run<{ expires_at: Date }>('SELECT expires_at FROM idempotency_keys');
    expect(Math.abs((key?.expires_at.getTime() ?? 0) - finishedAt - 20_000)).toBeLessThan(5);
  });

  it('tells of it in the event, whose record is announced after the commit', async () => {
    const job = await claimed();
    await records.settleJob(announcer).settle(job, await records.completion(job));
    const [event] = await records.run<{ type: string; body: string }>('SELECT type, body FROM events');
    expect(announced).toHaveLength(1);
    expect(announced[0]).toMatchObject({ type: 'job.completed', body: event?.body });
    expect(JSON.parse(event?.body ?? '')).toMatchObject({
      id: announced[0]?.eventId,
      type: 'job.completed',
      data: {
        id: announced[0]?.key,
        state: 'completed',
        attempt: 1,
        idempotency_key: 'order-42',
        metadata: { order: '42' },
        progress: { done: 2, total: 2, unit: 'inputs' },
        outputs: [{ index: 0, name: 'merged.pdf', pages: 6, download_url: expect.stringContaining('signature=') }],
        outputs_total: 1,
        warnings: ['repaired'],
      },
    });
  });

  it('takes the total that the documents turned out to have', async () => {
    const job = await claimed();
    const completion = await records.completion(job);
    await records.settleJob().settle(job, { ...completion, total: 9 } as JobEnding);
    expect(await records.job(job.jobId)).toMatchObject({ progress_done: 9, progress_total: 9 });
  });
});

describe('settling a failed job', () => {
  it('writes the error and the event, lets the key expire and charges nothing (contract 1.11, 2.15)', async () => {
    const job = await claimed();
    expect(await records.settleJob(announcer).settle(job, failure)).toBe('settled');
    expect(await records.job(job.jobId)).toMatchObject({
      state: 'failed',
      error: failure.state === 'failed' && failure.error,
    });
    expect(await traces()).toEqual({ events: 1, usage: 0, outputs: 0, outbox: 1, isKeyExpiring: true });
    expect(announced[0]?.type).toBe('job.failed');
  });
});

describe('a settlement without its claim', () => {
  it('that was superseded changes nothing while the next attempt is at work', async () => {
    const job = await claimed();
    const completion = await records.completion(job);
    await takenOver(job);
    expect(await records.settleJob(announcer).settle(job, completion)).toBe('superseded');
    expect(await records.job(job.jobId)).toMatchObject({ state: 'processing', claim: 3, attempt: 2 });
    expect(await traces()).toEqual(nothing);
    expect(announced).toEqual([]);
  });

  it('that was superseded changes nothing after the next attempt has ended', async () => {
    const job = await claimed();
    const completion = await records.completion(job);
    const next = await takenOver(job);
    await records.settleJob().settle(next, failure);
    const before = await records.job(job.jobId);
    expect(await records.settleJob().settle(job, completion)).toBe('superseded');
    const after = await records.job(job.jobId);
    expect({ ...after, ready_in_ms: 0 }).toEqual({ ...before, ready_in_ms: 0 });
    expect(await traces()).toEqual({ events: 1, usage: 0, outputs: 0, outbox: 1, isKeyExpiring: true });
  });

  it('that was committed before, its answer lost, is known as done and drops nothing', async () => {
    const job = await claimed();
    const completion = await records.completion(job);
    await records.settleJob().settle(job, completion);
    expect(await records.settleJob().settle(job, completion)).toBe('settled-before');
    expect(await traces()).toEqual(onceCompleted);
    expect(await records.job(job.jobId)).toMatchObject({ state: 'completed' });
  });

  it('of a job that is gone is superseded', async () => {
    const job = await claimed();
    await records.run('DELETE FROM idempotency_keys');
    await records.run('DELETE FROM jobs');
    expect(await records.settleJob().settle(job, failure)).toBe('superseded');
  });
});

describe('settling in a race', () => {
  it('of two settlements of one claim gives one end, one event, one usage record (contract 2.15)', async () => {
    for (let round = 0; round < 10; round += 1) {
      await records.clear();
      const job = await claimed();
      const completion = await records.completion(job);
      const outcomes = await Promise.all([
        records.settleJob().settle(job, completion),
        records.settleJob().settle(job, completion),
      ]);
      expect(outcomes.sort()).toEqual(['settled', 'settled-before']);
      expect(await traces()).toEqual(onceCompleted);
    }
  });

  it('with the rescue of an ended lease gives one end, one event, and usage only of a completed job', async () => {
    for (let round = 0; round < 20; round += 1) {
      await records.clear();
      const job = await claimed();
      const completion = await records.completion(job);
      await records.endLease(job.jobId);
      const rescue = async () => {
        for (const { attempt, ...claim } of await records.store.rescue(1, leaseMs))
          await records.settleJob().settle(claim, exhausted(attempt));
      };
      const settle = () => records.settleJob().settle(job, completion);
      await Promise.all(round % 2 === 0 ? [settle(), rescue()] : [rescue(), settle()]);
      const { state } = await records.job(job.jobId);
      const isCompleted = state === 'completed';
      expect(['completed', 'failed']).toContain(state);
      expect(await traces()).toMatchObject({ events: 1, usage: isCompleted ? 1 : 0, outputs: isCompleted ? 1 : 0 });
    }
  });

  it('waits for a cancel that is under way and then finds its claim lost', async () => {
    const job = await claimed();
    const completion = await records.completion(job);
    const cancel = await records.hold((tx) =>
      tx.query(
        sql(
          `UPDATE jobs SET state = 'cancelled', claim = claim + 1, lease_until = NULL, finished_at = now() WHERE id = $1`,
        ),
        [job.jobId],
      ),
    );
    const settling = records.settleJob().settle(job, completion);
    await cancel.commit();
    expect(await settling).toBe('superseded');
    expect(await traces()).toMatchObject({ usage: 0, outputs: 0 });
  });

  it('with the collector, which has taken the object of an output, writes nothing and says so (contract 2.2)', async () => {
    const job = await claimed();
    const completion = await records.completion(job);
    await records.run(`DELETE FROM objects WHERE purpose = 'output'`);
    expect(await records.settleJob().settle(job, completion)).toBe('output-collected');
    expect(await records.job(job.jobId)).toMatchObject({ state: 'processing', claim: 1 });
    expect(await traces()).toEqual(nothing);
  });
});

describe('settling through an outage', () => {
  it('is repeated when connections are lost, until it has its answer, and is done once', async () => {
    const job = await claimed();
    const completion = await records.completion(job);
    const database = new Database({ url: records.url, purpose: 'work', poolSize: 2 });
    let lost = 0;
    const flaky = Object.assign(Object.create(database) as Database, {
      transaction: async <T>(work: Parameters<Database['transaction']>[0]) => {
        const result = await database.transaction(work);
        if (lost >= 2) return result as T;
        lost += 1;
        throw Object.assign(new Error('Connection terminated unexpectedly'), { code: 'ECONNRESET' });
      },
      query: (...given: Parameters<Database['query']>) => {
        if (lost >= 2) return database.query(...given);
        lost += 1;
        return Promise.reject(Object.assign(new Error('terminating connection'), { code: '57P01' }));
      },
    });
    expect(await records.settleJob(announcer, flaky).settle(job, completion)).toBe('settled-before');
    expect(lost).toBe(2);
    expect(await traces()).toEqual(onceCompleted);
    await database.close();
  });
});

describe('the end of an attempt', () => {
  const endAttempt = (maxAttempts: number) =>
    new EndAttempt({
      store: records.store,
      settleJob: records.settleJob(),
      maxAttempts,
      giveUp: new AbortController().signal,
      log: silentLog,
    });

  it('that broke is the next attempt while there is one, later each time, and then attempts_exhausted (contract 2.5)', async () => {
    const job = await claimed();
    const broken = { kind: 'broken', cause: new Error('crashed') } as const;
    expect(await endAttempt(2).end(new RunningJob(job), broken)).toBe('requeued');
    await records.run('UPDATE jobs SET ready_at = now()');
    const last = await records.claimOne();
    expect(await endAttempt(2).end(new RunningJob(last), broken)).toBe('failed');
    expect(await records.job(job.jobId)).toMatchObject({
      state: 'failed',
      attempt: 2,
      error: { code: 'attempts_exhausted', retryable: true, input: null },
    });
  });

  it('whose output was collected is the next attempt (contract 2.2)', async () => {
    const job = await claimed();
    const { outputs } = (await records.completion(job)) as Extract<JobEnding, { state: 'completed' }>;
    await records.run(`DELETE FROM objects WHERE purpose = 'output'`);
    const end = await endAttempt(3).end(new RunningJob(job), { kind: 'completed', outputs, warnings: [], total: 2 });
    expect(end).toBe('requeued');
    expect(await records.job(job.jobId)).toMatchObject({ state: 'queued', claim: 2 });
  });

  it('that was stopped is handed back at a shutdown, and nothing when its claim was lost (contract 2.5)', async () => {
    const job = await claimed();
    const running = new RunningJob(job);
    running.stop('shutdown');
    expect(await endAttempt(3).end(running, { kind: 'stopped' })).toBe('handed-back');
    expect(await records.job(job.jobId)).toMatchObject({ state: 'queued', attempt: 0, claim: 2 });
    const lost = new RunningJob(await records.claimOne());
    lost.stop('lost');
    expect(await endAttempt(3).end(lost, { kind: 'stopped' })).toBe('lost');
    expect(await records.job(job.jobId)).toMatchObject({ state: 'processing', claim: 3 });
  });
});
