import { claimJobs } from '../../libs/persistence/src/claims/claim-jobs.sql.js';
import { claimOf, JobRecords, leaseMs, sql } from '../worker/job-records.js';

let records: JobRecords;

beforeAll(async () => {
  records = await JobRecords.open();
}, 60_000);

afterAll(() => records.close(), 60_000);

beforeEach(() => records.clear());

const soon = { leaseMs, afterAccountId: null, pollMs: 500 };

describe('a claim', () => {
  it('gives the job, its attempt and its inputs in their order, and takes it for the lease', async () => {
    const accountId = await records.account();
    const objects = [await records.object(accountId), await records.object(accountId)];
    const id = await records.queue({ accountId, inputs: objects, readyForMs: 300 });
    const [job] = await records.claim();
    expect(job).toMatchObject({
      jobId: id,
      accountId,
      claim: 1,
      attempt: 1,
      operation: 'merge',
      options: {},
      progressTotal: 2,
      inputs: objects.map((object) => ({ name: 'a.pdf', objectName: `uploads/${object}` })),
    });
    expect(job?.waitedMs).toBeGreaterThanOrEqual(299);
    const row = await records.job(id);
    expect(row).toMatchObject({ state: 'processing', claim: 1, attempt: 1, started_at: expect.any(Date) });
    expect(row['lease_ms']).toBeGreaterThan(leaseMs - 5_000);
  });

  it('gives one job to exactly one of many who claim at once', async () => {
    const id = await records.queue();
    for (let round = 1; round <= 20; round += 1) {
      const claims = await Promise.all(Array.from({ length: 12 }, () => records.claim(2, round % 2 === 0 ? [id] : [])));
      expect(claims.flat()).toHaveLength(1);
      expect(claims.flat()[0]).toMatchObject({ jobId: id, claim: 2 * round - 1 });
      await records.store.handBack({ jobId: id, claim: 2 * round - 1 });
    }
  });

  it('shares many jobs out among many who claim at once, each to one, all of them', async () => {
    const accounts = [await records.account(), await records.account()];
    const ids = await Promise.all(
      Array.from({ length: 40 }, (_, n) => records.queue({ accountId: accounts[n % 2] ?? '' })),
    );
    const claims = await Promise.all(Array.from({ length: 10 }, () => records.claim(4)));
    const taken = claims.flat().map((job) => job.jobId);
    expect(new Set(taken).size).toBe(taken.length);
    expect(taken.length).toBeGreaterThan(20);
    taken.push(...(await records.claim(40)).map((job) => job.jobId));
    expect(taken.sort()).toEqual(ids.sort());
  });

  it('takes no job before it is ready, and none that is not queued', async () => {
    const id = await records.queue({ readyForMs: -60_000 });
    expect(await records.claim(5)).toEqual([]);
    expect(await records.claim(5, [id])).toEqual([]);
    await records.run('UPDATE jobs SET ready_at = now()');
    expect(await records.claim(5, [id])).toHaveLength(1);
    expect(await records.claim(5, [id])).toEqual([]);
  });

  it('takes a job from the instant at which it is ready, whatever the rounding of its time', async () => {
    const id = await records.queue();
    for (let round = 0; round < 20; round += 1) {
      const values = [1, leaseMs, '00000000-0000-0000-0000-000000000000', round % 2 === 0 ? [] : [id], 500];
      const taken = await records.database.transaction(async (tx) => {
        await tx.query(sql('UPDATE jobs SET ready_at = now()'));
        const rows = await tx.query(claimJobs, values);
        await tx.query(sql(`UPDATE jobs SET state = 'queued', lease_until = NULL`));
        return rows;
      });
      expect(taken).toHaveLength(1);
    }
  });

  it('goes round the accounts, the oldest job first within one (contract 2.11)', async () => {
    const [a, b, c] = (await Promise.all([1, 2, 3].map(() => records.account()))).sort();
    if (a === undefined || b === undefined || c === undefined) throw new Error('three accounts');
    const jobs: Record<string, string> = {};
    for (const n of [3, 2, 1]) jobs[`a${n}`] = await records.queue({ accountId: a, readyForMs: 10_000 - 1_000 * n });
    for (const n of [2, 1]) jobs[`b${n}`] = await records.queue({ accountId: b, readyForMs: 5_000 - 1_000 * n });
    jobs['c1'] = await records.queue({ accountId: c });
    const nameOf = Object.fromEntries(Object.entries(jobs).map(([name, id]) => [id, name]));

    const taken: (string | undefined)[] = [];
    let afterAccountId: string | null = null;
    for (const limit of [1, 1, 1, 2, 5]) {
      const claimed = await records.store.claim({ ...soon, limit, afterAccountId });
      afterAccountId = claimed.afterAccountId;
      taken.push(...claimed.jobs.map((job) => nameOf[job.jobId]));
    }
    expect(taken).toEqual(['a1', 'b1', 'c1', 'a2', 'b2', 'a3']);
  });

  it('gives every account one of its free slots before any gets a second (contract 2.11)', async () => {
    const [a, b] = [await records.account(), await records.account()];
    for (let n = 0; n < 10; n += 1) await records.queue({ accountId: a, readyForMs: 5_000 });
    await records.queue({ accountId: b });
    const claimed = await records.claim(3);
    expect(claimed.filter((job) => job.accountId === b)).toHaveLength(1);
    expect(claimed.filter((job) => job.accountId === a)).toHaveLength(2);
  });

  it('starves nobody while one account has a batch of 1,000 jobs (contract 2.11)', async () => {
    const [busy, other] = [await records.account(), await records.account()];
    const { batchId } = await records.batch(busy, 1);
    await records.run(
      `INSERT INTO jobs (id, account_id, operation, options, metadata, batch_id, client_item_id, progress_total, progress_unit, created_at, ready_at)
       SELECT gen_random_uuid(), $1, 'merge', '{}', '{}', $2, item, 1, 'inputs', now(), now() - interval '1 hour'
       FROM generate_series(2, 1000) AS item`,
      [busy, batchId],
    );
    const late = [await records.queue({ accountId: other }), await records.queue({ accountId: other })];
    const taken: string[] = [];
    let afterAccountId: string | null = null;
    for (let claim = 0; claim < 4; claim += 1) {
      const claimed = await records.store.claim({ limit: 1, leaseMs, afterAccountId, pollMs: 500 });
      afterAccountId = claimed.afterAccountId;
      taken.push(...claimed.jobs.map(({ jobId }) => jobId));
    }
    expect(taken.filter((jobId) => late.includes(jobId))).toEqual(late);
  });

  it('passes accounts whose jobs are not ready yet', async () => {
    for (let n = 0; n < 30; n += 1) await records.queue({ readyForMs: -60_000 });
    const id = await records.queue();
    expect((await records.claim()).map((job) => job.jobId)).toEqual([id]);
  });
});

describe('a claim of named jobs', () => {
  it('takes only the named ones, out of turn', async () => {
    const accountId = await records.account();
    await records.queue({ accountId, readyForMs: 100 });
    const named = await records.queue({ accountId });
    const claimed = await records.claim(5, [named]);
    expect(claimed.map((job) => job.jobId)).toEqual([named]);
  });

  it('never overtakes another job that has been ready for longer than a poll: then the round decides (contract 2.11)', async () => {
    const accountId = await records.account();
    const older = await records.queue({ accountId, readyForMs: 2_000 });
    const named = await records.queue({ accountId });
    const claimed = await records.claim(1, [named]);
    expect(claimed.map((job) => job.jobId)).toEqual([older]);
    expect((await records.claim(1, [named])).map((job) => job.jobId)).toEqual([named]);
  });

  it('takes a named job that has itself been ready for long', async () => {
    const [named] = [await records.queue({ readyForMs: 9_000 }), await records.queue()];
    expect((await records.claim(5, [named])).map((job) => job.jobId)).toEqual([named]);
  });

  it('falls back to the round when none of them can be taken', async () => {
    const taken = await records.queue();
    await records.claim(1, [taken]);
    const other = await records.queue();
    const claimed = await records.claim(5, [taken, '00000000-0000-7000-8000-000000000001']);
    expect(claimed.map((job) => job.jobId)).toEqual([other]);
  });
});

describe('the plan of a claim', () => {
  it('touches a few pages, however many jobs of one account wait and have ended', async () => {
    const big = await records.account();
    await records.run(
      `INSERT INTO jobs (id, account_id, operation, options, metadata, state, ready_at, finished_at, progress_total, progress_unit, created_at)
       SELECT new_uuid_v7(), $1, 'merge', '{}', '{}', CASE WHEN n > 10000 THEN 'completed' ELSE 'queued' END, now() - interval '1 hour',
              CASE WHEN n > 10000 THEN now() END, 1, 'inputs', now()
       FROM generate_series(1, 60000) AS n`,
      [big],
    );
    await records.run('ANALYZE jobs');
    const id = await records.queue();
    for (const names of [[], [id]]) {
      const explain = sql(`EXPLAIN (ANALYZE, BUFFERS, FORMAT JSON) ${claimJobs.text}`);
      const values = [2, leaseMs, '00000000-0000-0000-0000-000000000000', names, 500];
      const [answer] = await records.database.query<Explained>(explain, values);
      const plan = answer?.['QUERY PLAN'][0]?.Plan;
      expect(plan?.['Actual Rows']).toBe(2);
      expect((plan?.['Shared Hit Blocks'] ?? 0) + (plan?.['Shared Read Blocks'] ?? 0)).toBeLessThan(300);
      expect(scansOf(plan)).not.toContain('Seq Scan on jobs');
      await records.run(`UPDATE jobs SET state = 'queued', lease_until = NULL WHERE state = 'processing'`);
    }
  }, 60_000);

  interface Plan {
    readonly 'Node Type': string;
    readonly 'Relation Name'?: string;
    readonly 'Actual Rows': number;
    readonly 'Shared Hit Blocks': number;
    readonly 'Shared Read Blocks': number;
    readonly Plans?: readonly Plan[];
  }

  interface Explained {
    readonly 'QUERY PLAN': readonly { readonly Plan: Plan }[];
  }

  function scansOf(plan: Plan | undefined): string[] {
    if (plan === undefined) return [];
    return [`${plan['Node Type']} on ${plan['Relation Name'] ?? ''}`, ...(plan.Plans ?? []).flatMap(scansOf)];
  }
});

describe('a renewal', () => {
  it('renews the lease, writes the progress and tells which claims hold, for all of them in one statement', async () => {
    const [kept, lost] = [await records.queue(), await records.queue()];
    await records.claim(2);
    await records.run(`UPDATE jobs SET lease_until = now() + interval '1 second'`);
    await records.store.requeue({ jobId: lost, claim: 1 }, 0);
    const progress = { claim: 1, done: 1, total: 4 };
    const held = await records.store.renew(
      [
        { jobId: kept, ...progress },
        { jobId: lost, ...progress },
      ],
      leaseMs,
    );
    expect([...held]).toEqual([kept]);
    const row = await records.job(kept);
    expect(row).toMatchObject({ progress_done: 1, progress_total: 4 });
    expect(row['lease_ms']).toBeGreaterThan(leaseMs - 5_000);
    expect(await records.job(lost)).toMatchObject({ state: 'queued', progress_done: 0, progress_total: 2 });
  });

  it('tells a claim that another worker took over, and leaves that one alone', async () => {
    const id = await records.queue();
    await records.claim();
    await records.endLease(id);
    await records.store.rescue(3, leaseMs);
    await records.run('UPDATE jobs SET ready_at = now()');
    await records.claim();
    const before = await records.job(id);
    expect(before).toMatchObject({ claim: 3, state: 'processing' });
    const held = await records.store.renew([{ jobId: id, claim: 1, done: 9, total: 9 }], 60_000);
    expect(held.size).toBe(0);
    expect(await records.job(id)).toMatchObject({ lease_until: before['lease_until'], progress_done: 0 });
  });

  it('waits for nobody: a claim whose row is locked still holds, the others are renewed', async () => {
    const [locked, free] = [await records.queue(), await records.queue()];
    await records.claim(2);
    await records.run(`UPDATE jobs SET lease_until = now() + interval '1 second'`);
    const other = await records.hold((tx) =>
      tx.query({ name: '', text: 'SELECT FROM jobs WHERE id = $1 FOR UPDATE' }, [locked]),
    );
    const progress = { claim: 1, done: 0, total: 2 };
    const held = await records.store.renew(
      [
        { jobId: locked, ...progress },
        { jobId: free, ...progress },
      ],
      leaseMs,
    );
    expect([...held].sort()).toEqual([locked, free].sort());
    expect((await records.job(free))['lease_ms']).toBeGreaterThan(leaseMs - 5_000);
    expect((await records.job(locked))['lease_ms']).toBeLessThan(1_100);
    await other.rollback();
  });
});

describe('giving a claim up', () => {
  it('requeues for the next attempt after a delay, with a new claim number (contract 2.5)', async () => {
    const id = await records.queue();
    const job = await records.claimOne();
    expect(await records.store.requeue(job, 4_000)).toBe(true);
    const row = await records.job(id);
    expect(row).toMatchObject({ state: 'queued', claim: 2, attempt: 1, lease_until: null });
    expect(row['ready_in_ms']).toBeGreaterThan(3_000);
    expect(await records.store.requeue(job, 0)).toBe(false);
  });

  it('hands back without costing an attempt, ready at once and in its old place (contract 2.5)', async () => {
    const accountId = await records.account();
    const id = await records.queue({ accountId, readyForMs: 5_000 });
    await records.queue({ accountId, readyForMs: 4_000 });
    const job = await records.claimOne();
    expect(await records.store.handBack(job)).toBe(true);
    expect(await records.job(id)).toMatchObject({ state: 'queued', claim: 2, attempt: 0, started_at: null });
    expect(await records.claimOne()).toMatchObject({ jobId: id, claim: 3, attempt: 1 });
    expect(await records.store.handBack(job)).toBe(false);
  });
});

describe('the rescue', () => {
  it('leaves a job whose lease holds', async () => {
    await records.queue();
    await records.claim();
    expect(await records.store.rescue(3, leaseMs)).toEqual([]);
  });

  it('queues a job again whose lease has ended, later with every attempt (contract 2.5)', async () => {
    const id = await records.queue();
    const delays: number[] = [];
    for (const attempt of [1, 2]) {
      await records.claim();
      await records.endLease(id);
      const rescued = await records.store.rescue(3, leaseMs);
      expect(rescued).toEqual([{ jobId: id, claim: attempt * 2, attempt, outcome: 'queued' }]);
      delays.push(Number((await records.job(id))['ready_in_ms']));
      await records.run('UPDATE jobs SET ready_at = now()');
    }
    expect(delays[0]).toBeGreaterThan(500);
    expect(delays[0]).toBeLessThan(1_100);
    expect(delays[1]).toBeGreaterThan(3_500);
  });

  it('takes a job without an attempt left over, under a claim of its own', async () => {
    const id = await records.queue();
    await records.claim();
    await records.endLease(id);
    expect(await records.store.rescue(1, leaseMs)).toEqual([{ jobId: id, claim: 2, attempt: 1, outcome: 'exhausted' }]);
    const row = await records.job(id);
    expect(row).toMatchObject({ state: 'processing', claim: 2 });
    expect(row['lease_ms']).toBeGreaterThan(leaseMs - 5_000);
  });

  it('gives one job to exactly one of many rescuers', async () => {
    const id = await records.queue();
    const job = await records.claimOne();
    await records.endLease(id);
    const rescued = await Promise.all(Array.from({ length: 10 }, () => records.store.rescue(3, leaseMs)));
    expect(rescued.flat()).toHaveLength(1);
    expect(await records.store.renew([{ ...claimOf(job), done: 0, total: 2 }], leaseMs)).toEqual(new Set());
  });
});
