import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import {
  type Database,
  GarbageStore,
  PruneStore,
  type Tx,
  verifyStorageRoot,
  WrongStorageRoot,
} from '#libs/persistence';
import { BlobNotFound, type BlobStore, openBlobStore } from '#libs/storage';
import { CollectGarbage } from '../../apps/worker/src/collect-garbage/collect-garbage.js';
import { Prune } from '../../apps/worker/src/prune/prune.js';
import { claimOf, JobRecords, silentLog, sql } from '../worker/job-records.js';

const uploadAgeMs = 60_000;
const old = { ageMs: 120_000 };
const go = new AbortController().signal;

let records: JobRecords;
let garbage: GarbageStore;
let prune: PruneStore;
let blobs: BlobStore;
let directory: string;

beforeAll(async () => {
  records = await JobRecords.open();
  garbage = new GarbageStore(records.database);
  prune = new PruneStore(records.database);
  directory = await mkdtemp(join(tmpdir(), 'pdfonce-garbage-'));
  blobs = await openBlobStore(pathToFileURL(directory).href);
}, 60_000);

afterAll(async () => {
  await records.close();
  await rm(directory, { recursive: true });
}, 60_000);

beforeEach(() => records.clear());

async function collectAll(): Promise<number> {
  let removed = 0;
  for (let afterId: string | null = null; ;) {
    const page = await garbage.collect(afterId, 3, uploadAgeMs);
    removed += page.removed;
    if (page.nextAfterId === null) return removed;
    afterId = page.nextAfterId;
  }
}

describe('the collector and uploads', () => {
  it('takes an old upload that nothing refers to, and its name goes to the deletion list (contract 2.2)', async () => {
    const accountId = await records.account();
    const id = await records.object(accountId, old);
    expect(await collectAll()).toBe(1);
    expect(await records.objectIds()).toEqual([]);
    expect(await garbage.deletedObjects('', 10)).toEqual([`uploads/${id}`]);
  });

  it('leaves a young one, one of a file, one of an unfinished job, and looks through every page (contract 2.2)', async () => {
    const accountId = await records.account();
    const young = await records.object(accountId);
    const ofFile = await records.object(accountId, old);
    const ofJob = await records.object(accountId, old);
    await addFile(accountId, ofFile);
    await records.queue({ accountId, inputs: [ofJob] });
    for (let n = 0; n < 8; n += 1) await records.object(accountId, old);
    expect(await collectAll()).toBe(8);
    expect(await records.objectIds()).toEqual([young, ofFile, ofJob].sort());
  });

  it('takes one that was never completed', async () => {
    const accountId = await records.account();
    await records.run(
      `INSERT INTO objects (id, account_id, name, purpose, created_at) VALUES (new_uuid_v7(), $1, 'uploads/half', 'upload', now() - interval '1 hour')`,
      [accountId],
    );
    expect(await collectAll()).toBe(1);
    expect(await garbage.deletedObjects('', 10)).toEqual(['uploads/half']);
  });
});

describe('the collector and outputs', () => {
  it('leaves an output while its claim holds its job, and takes it when it is lost (contract 2.2)', async () => {
    await records.queue();
    const job = await records.claimOne();
    const id = await records.object(job.accountId, { claim: claimOf(job) });
    expect(await collectAll()).toBe(0);
    await records.store.requeue(job, 0);
    expect(await collectAll()).toBe(1);
    expect(await garbage.deletedObjects('', 10)).toEqual([`${job.jobId}/1/${id}`]);
  });

  it('takes the output of a lost claim while the next attempt is at work, and leaves that of the next', async () => {
    await records.queue();
    const lost = await records.claimOne();
    await records.object(lost.accountId, { claim: claimOf(lost) });
    await records.store.requeue(lost, 0);
    const next = await records.claimOne();
    const kept = await records.object(next.accountId, { claim: claimOf(next) });
    expect(await collectAll()).toBe(1);
    expect(await records.objectIds()).toEqual([kept]);
  });

  it('leaves the outputs of a completed job until they expire (contract 2.3)', async () => {
    await records.queue();
    const job = await records.claimOne();
    await records.settleJob().settle(job, await records.completion(job));
    expect(await collectAll()).toBe(0);
    await records.run(`UPDATE job_outputs SET expires_at = now() - interval '1 second'`);
    expect(await prune.outputs(100)).toBe(1);
    expect(await collectAll()).toBe(1);
    expect(await records.run('SELECT object_id, size FROM job_outputs')).toEqual([{ object_id: null, size: 7 }]);
  });

  it('takes what an attempt left that settled something else', async () => {
    await records.queue();
    const job = await records.claimOne();
    const left = await records.object(job.accountId, { claim: claimOf(job) });
    await records.settleJob().settle(job, await records.completion(job));
    expect(await collectAll()).toBe(1);
    expect(await records.objectIds()).not.toContain(left);
  });
});

describe('the collector and a reference in the making', () => {
  it('never takes an object that an open transaction refers to (contract 2.2)', async () => {
    const accountId = await records.account();
    const id = await records.object(accountId, old);
    const admission = await records.hold((tx) => tx.query(insertFile, [accountId, id]));
    expect(await collectAll()).toBe(0);
    await admission.commit();
    expect(await collectAll()).toBe(0);
    expect(await records.objectIds()).toEqual([id]);
  });

  it('takes it when that transaction is rolled back', async () => {
    const accountId = await records.account();
    const id = await records.object(accountId, old);
    const admission = await records.hold((tx) => tx.query(insertFile, [accountId, id]));
    await admission.rollback();
    expect(await collectAll()).toBe(1);
  });

  it('lets a reference that comes while it takes the object fail, never dangle (contract 2.2)', async () => {
    const accountId = await records.account();
    const id = await records.object(accountId, old);
    const collecting = await records.hold((tx) => tx.query(sql('DELETE FROM objects WHERE id = $1'), [id]));
    const referring = records.run(insertFile.text, [accountId, id]);
    await collecting.commit();
    await expect(referring).rejects.toMatchObject({ code: '23503' });
    expect(await records.count('files')).toBe(0);
  });

  it('under fire of references never breaks one, and takes in the end what nothing refers to (contract 2.2)', async () => {
    const accountId = await records.account();
    const ids = await Promise.all(Array.from({ length: 60 }, () => records.object(accountId, old)));
    let referred = 0;
    const refer = async (id: string) =>
      records.run(insertFile.text, [accountId, id]).then(
        () => (referred += 1),
        (error: { code?: string }) => expect(error.code).toBe('23503'),
      );
    await Promise.all([...ids.filter((_, n) => n % 2 === 0).map(refer), collectTolerant(), collectTolerant()]);
    await collectAll();
    expect(await records.count('files')).toBe(referred);
    expect(await records.count('objects')).toBe(referred);
    expect(await records.count('deleted_objects')).toBe(60 - referred);
  });

  /** A pass may leave a page to the next one. */
  const collectTolerant = () => collectAll().catch((error: { code?: string }) => expect(error.code).toBe('23503'));
});

describe('collecting', () => {
  const collector = () => new CollectGarbage(garbage, blobs, uploadAgeMs, silentLog);
  it('removes the stored object after its row and the list entry after the object (contract 2.2)', async () => {
    const accountId = await records.account();
    const id = await records.object(accountId, old);
    const kept = await records.object(accountId);
    for (const each of [id, kept]) await blobs.put(`uploads/${each}`, bytes('%PDF'));
    await collector().collect(go);
    await expect(blobs.get(`uploads/${id}`)).rejects.toThrow(BlobNotFound);
    (await blobs.get(`uploads/${kept}`)).destroy();
    expect(await records.count('deleted_objects')).toBe(0);
  });

  it('goes on where a collector died between the row and the object', async () => {
    const accountId = await records.account();
    const id = await records.object(accountId, old);
    await blobs.put(`uploads/${id}`, bytes('%PDF'));
    await collectAll();
    await collector().collect(go);
    await expect(blobs.get(`uploads/${id}`)).rejects.toThrow(BlobNotFound);
    expect(await records.count('deleted_objects')).toBe(0);
  });

  it('goes on until little is left, however much there was', async () => {
    const accountId = await records.account();
    await records.run(
      `INSERT INTO objects (id, account_id, name, purpose, created_at)
       SELECT new_uuid_v7(), $1, 'uploads/' || n, 'upload', now() - interval '1 hour' FROM generate_series(1, 12000) AS n`,
      [accountId],
    );
    await new CollectGarbage(garbage, { ...blobs, remove: async () => undefined }, uploadAgeMs, silentLog).collect(go);
    expect(await records.count('objects')).toBe(0);
    expect(await records.count('deleted_objects')).toBe(0);
  }, 30_000);

  it('keeps an entry whose object cannot be removed, and goes on with the others', async () => {
    await records.run(`INSERT INTO deleted_objects (name) VALUES ('a/fails'), ('b/works')`);
    const failing = {
      ...blobs,
      remove: async (name: string) => (name === 'a/fails' ? Promise.reject(new Error('EIO')) : undefined),
    };
    await new CollectGarbage(garbage, failing, uploadAgeMs, silentLog).collect(go);
    expect(await garbage.deletedObjects('', 10)).toEqual(['a/fails']);
  });

  it('told to end stops after the object that it is removing, and forgets what it has removed', async () => {
    await records.run(`INSERT INTO deleted_objects (name) VALUES ('a/first'), ('b/second')`);
    const stopping = new AbortController();
    const slow = { ...blobs, remove: async () => stopping.abort() };
    await new CollectGarbage(garbage, slow, uploadAgeMs, silentLog).collect(stopping.signal);
    expect(await garbage.deletedObjects('', 10)).toEqual(['b/second']);
  });
});

describe('the purge of idempotency keys', () => {
  it('takes expired ones and no other (contract 1.11)', async () => {
    const accountId = await records.account();
    await records.key(accountId, 'expired', null, -1_000);
    await records.key(accountId, 'kept', null, 60_000);
    await records.key(accountId, 'open', null, null);
    expect(await prune.keys(100)).toBe(1);
    const keys = await records.run<{ key: string }>('SELECT key FROM idempotency_keys ORDER BY key');
    expect(keys.map((row) => row.key)).toEqual(['kept', 'open']);
  });

  it('keeps the fresh record while an uncommitted replacement is held, and after it (contract 1.11)', async () => {
    const accountId = await records.account();
    await records.key(accountId, 'k', null, -1_000);
    const replacement = await records.hold((tx) =>
      tx.query(
        sql(
          `UPDATE idempotency_keys SET fingerprint = 'new', expires_at = NULL WHERE key = 'k' AND expires_at <= now()`,
        ),
      ),
    );
    expect(await prune.keys(100)).toBe(0);
    await replacement.commit();
    expect(await prune.keys(100)).toBe(0);
    expect(await records.run('SELECT fingerprint FROM idempotency_keys')).toEqual([{ fingerprint: 'new' }]);
  });

  it('in a race with replacements deletes no fresh record (contract 1.11)', async () => {
    const accountId = await records.account();
    for (let n = 0; n < 40; n += 1) await records.key(accountId, `k${n}`, null, -1_000);
    const replace = async (n: number) => {
      const rows = await records.run(
        `UPDATE idempotency_keys SET expires_at = NULL WHERE key = $1 AND expires_at <= now() RETURNING 1`,
        [`k${n}`],
      );
      return rows.length;
    };
    const [replaced] = await Promise.all([
      Promise.all(Array.from({ length: 40 }, (_, n) => replace(n))),
      prune.keys(15),
      prune.keys(15),
      prune.keys(15),
    ]);
    expect(await records.count('idempotency_keys WHERE expires_at IS NULL')).toBe(replaced.reduce((a, b) => a + b, 0));
  });
});

describe('a purge', () => {
  it('goes on until nothing is left of any kind, however much there was', async () => {
    const accountId = await records.account();
    await records.run(
      `INSERT INTO idempotency_keys (account_id, route, key, fingerprint, status, content_type, body, expires_at)
       SELECT $1, 'POST /v1/jobs', n, 'f', 202, 'application/json', '', now() - interval '1 second' FROM generate_series(1, 12000) AS n`,
      [accountId],
    );
    await records.run(
      `INSERT INTO jobs (id, account_id, operation, options, metadata, state, progress_total, progress_unit, created_at, finished_at, expires_at)
       SELECT new_uuid_v7(), $1, 'merge', '{}', '{}', 'cancelled', 1, 'inputs', now(), now(), now() - interval '1 second'
       FROM generate_series(1, 1200)`,
      [accountId],
    );
    expect(await new Prune(prune, 60_000, silentLog).prune(go)).toEqual({ keys: 12_000, jobs: 1_200 });
    for (const table of ['idempotency_keys', 'jobs']) expect(await records.count(table)).toBe(0);
  }, 30_000);

  it('does the other kinds, too, when one fails, and then fails', async () => {
    const accountId = await records.account();
    await records.key(accountId, 'expired', null, -1_000);
    const failing = Object.assign(new PruneStore(records.database), {
      outputs: () => Promise.reject(new Error('no outputs')),
    });
    await expect(new Prune(failing, 60_000, silentLog).prune(go)).rejects.toThrow('no outputs');
    expect(await records.count('idempotency_keys')).toBe(0);
  });
});

describe('the purge of jobs', () => {
  async function ended(key?: string): Promise<string> {
    await records.queue(key === undefined ? {} : { key });
    const job = await records.claimOne();
    await records.settleJob().settle(job, await records.completion(job));
    await records.run(`UPDATE jobs SET expires_at = now() - interval '1 second' WHERE id = $1`, [job.jobId]);
    return job.jobId;
  }

  it('takes expired ones with their outputs, whose objects are garbage then; the usage record stays', async () => {
    await ended();
    expect(await prune.jobs(100)).toBe(1);
    expect(await records.count('jobs')).toBe(0);
    expect(await records.count('usage_records')).toBe(1);
    expect(await collectAll()).toBe(1);
  });

  it('keeps one that a key names, and takes it after the key (contract 2.16)', async () => {
    await ended('k');
    expect(await prune.jobs(100)).toBe(0);
    await records.run(`UPDATE idempotency_keys SET expires_at = now() - interval '1 second'`);
    await new Prune(prune, 60_000, silentLog).prune(go);
    expect(await records.count('jobs')).toBe(0);
    expect(await records.count('idempotency_keys')).toBe(0);
  });

  it('keeps one that an unfinished job names (contract 2.16)', async () => {
    const source = await ended();
    const id = await records.queue({ accountId: await records.account() });
    await records.run(
      `INSERT INTO job_inputs (job_id, index, name, media_type, source_job_id, source_output) VALUES ($1, 0, 'x', 'application/pdf', $2, 0)`,
      [id, source],
    );
    expect(await prune.jobs(100)).toBe(0);
    await records.run(`UPDATE jobs SET state = 'cancelled', finished_at = now() WHERE id = $1`, [id]);
    expect(await prune.jobs(100)).toBe(1);
  });

  it('never takes an unfinished one', async () => {
    await records.queue();
    expect(await prune.jobs(100)).toBe(0);
  });
});

describe('a purge that began to look before an admission was committed', () => {
  /** A purge with something that happens between its two statements: the first has not seen it, and the second must. */
  const interrupted = (happens: () => Promise<unknown>): PruneStore => {
    const { database } = records;
    const between = (tx: Tx): Tx => {
      let statements = 0;
      return {
        kind: 'transaction',
        query: async (...statement) => {
          const rows: never[] = await tx.query(...statement);
          statements += 1;
          if (statements === 1) await happens();
          return rows;
        },
      };
    };
    const transaction: Database['transaction'] = (work) => database.transaction((tx) => work(between(tx)));
    return new PruneStore({ transaction } as unknown as Database);
  };

  /** Completes the job that is queued, and gives its id. */
  async function complete(): Promise<string> {
    const job = await records.claimOne();
    await records.settleJob().settle(job, await records.completion(job));
    return job.jobId;
  }

  const expire = (table: string) => records.run(`UPDATE ${table} SET expires_at = now() - interval '1 second'`);
  const admitDependentOf = async (source: string) =>
    records.queue({ accountId: await records.account(), awaits: [source] });

  it('keeps a job whose output the admitted one awaits (contract 2.16)', async () => {
    await records.queue();
    const source = await complete();
    await expire('jobs');
    expect(await interrupted(() => admitDependentOf(source)).jobs(100)).toBe(0);
    expect(await records.job(source)).toMatchObject({ state: 'completed' });
  });

  it('keeps the object of an output that the admitted one awaits (contract 2.8)', async () => {
    await records.queue();
    const source = await complete();
    await expire('job_outputs');
    expect(await interrupted(() => admitDependentOf(source)).outputs(100)).toBe(0);
    expect(await records.run('SELECT FROM job_outputs WHERE object_id IS NULL')).toEqual([]);
    expect(await collectAll()).toBe(0);
  });

  it('keeps a batch with a job whose output the admitted one awaits, and so does a later one (contract 2.16)', async () => {
    await records.batch(await records.account(), 1);
    const source = await complete();
    await records.run('DELETE FROM idempotency_keys');
    await expire('batches');
    expect(await interrupted(() => admitDependentOf(source)).batches(100)).toBe(0);
    expect(await prune.batches(100)).toBe(0);
    expect(await records.count('batches')).toBe(1);
    await records.run(
      `UPDATE jobs SET state = 'cancelled', finished_at = now(), awaits_inputs = false WHERE state = 'queued'`,
    );
    expect(await prune.batches(100)).toBe(1);
    expect(await records.run('SELECT FROM jobs WHERE id = $1', [source])).toEqual([]);
  });
});

describe('the purge of events', () => {
  async function eventWith(state: 'pending' | 'delivered' | null): Promise<string> {
    const accountId = await records.account();
    const [event] = await records.run<{ id: string }>(
      `INSERT INTO events (id, account_id, type, body, occurred_at, created_at)
       VALUES (new_uuid_v7(), $1, 'webhook.ping', '{}', now(), now() - interval '1 hour') RETURNING id`,
      [accountId],
    );
    const id = event?.id ?? '';
    const [endpoint] = await records.run<{ id: string }>(
      `INSERT INTO webhook_endpoints (id, account_id, url, event_types, metadata, created_at)
       VALUES (new_uuid_v7(), $1, 'https://example.com', '{*}', '{}', now()) RETURNING id`,
      [accountId],
    );
    if (state !== null) await records.run(insertDelivery.text, [accountId, id, endpoint?.id, state, null]);
    return id;
  }

  const insertDelivery = sql(
    `INSERT INTO deliveries (id, account_id, event_id, endpoint_id, state, next_attempt_at, redelivery_of)
     VALUES (new_uuid_v7(), $1, $2, $3, $4, CASE $4 WHEN 'pending' THEN now() END, $5)`,
  );

  it('takes old ones with their deliveries, and never an undelivered one', async () => {
    const pending = await eventWith('pending');
    await eventWith('delivered');
    await eventWith(null);
    expect(await prune.events(100, 7_200_000)).toBe(0);
    expect(await prune.events(100, 60_000)).toBe(2);
    expect(await records.run('SELECT id FROM events')).toEqual([{ id: pending }]);
    expect(await records.count('deliveries')).toBe(1);
  });

  it('keeps one for which a redelivery is being written', async () => {
    const id = await eventWith('delivered');
    const [first] = await records.run<{ account_id: string; endpoint_id: string; id: string }>(
      'SELECT * FROM deliveries',
    );
    const redelivery = await records.hold((tx) =>
      tx.query(insertDelivery, [first?.account_id, id, first?.endpoint_id, 'pending', first?.id]),
    );
    expect(await prune.events(100, 60_000)).toBe(0);
    await redelivery.commit();
    expect(await prune.events(100, 60_000)).toBe(0);
    expect(await records.count('deliveries')).toBe(2);
  });
});

describe('the purge of the rest', () => {
  it('takes expired files and settled outbox rows, refused ones after 30 days, never a pending one (contract 2.3)', async () => {
    const accountId = await records.account();
    await addFile(accountId, await records.object(accountId), '-1 second');
    await addFile(accountId, await records.object(accountId));
    await records.run(
      `INSERT INTO outbox (topic, key, event_id, type, body, occurred_at, state, created_at)
       SELECT 't', 'k', new_uuid_v7(), 'job.submitted', '{}', now(), state, now() - interval '1 hour'
       FROM unnest('{pending,published,local,dead}'::text[]) AS state`,
    );
    expect(await prune.files(100)).toBe(1);
    expect(await prune.outbox(100, 7_200_000)).toBe(0);
    expect(await prune.outbox(100, 60_000)).toBe(2);
    expect(await records.run('SELECT state FROM outbox ORDER BY id')).toEqual([
      { state: 'pending' },
      { state: 'dead' },
    ]);
    await records.run("UPDATE outbox SET created_at = created_at - interval '30 days'");
    expect(await prune.outbox(100, 60_000)).toBe(1);
    expect(await records.run('SELECT state FROM outbox')).toEqual([{ state: 'pending' }]);
  });

  it('is bounded by its batch', async () => {
    const accountId = await records.account();
    for (let n = 0; n < 5; n += 1) await records.key(accountId, `k${n}`, null, -1_000);
    expect(await prune.keys(2)).toBe(2);
    expect(await records.count('idempotency_keys')).toBe(3);
  });
});

describe('the storage root', () => {
  it('is that of the first process, and every other is refused', async () => {
    await verifyStorageRoot(records.database, blobs);
    await verifyStorageRoot(records.database, blobs);
    const other = { rootId: async () => '00000000-0000-4000-8000-000000000000' };
    await expect(verifyStorageRoot(records.database, other)).rejects.toThrow(WrongStorageRoot);
    await verifyStorageRoot(records.database, blobs);
  });
});

const insertFile = sql(
  `INSERT INTO files (id, account_id, object_id, name, media_type, size, sha256, created_at, expires_at)
   VALUES (new_uuid_v7(), $1, $2, 'a.pdf', 'application/pdf', 7, '', now(), now() + interval '1 hour')`,
);

async function addFile(accountId: string, objectId: string, expiry = '1 hour'): Promise<void> {
  await records.run(insertFile.text, [accountId, objectId]);
  await records.run('UPDATE files SET expires_at = now() + $2::interval WHERE object_id = $1', [objectId, expiry]);
}

async function* bytes(text: string): AsyncGenerator<Uint8Array> {
  yield Buffer.from(text);
}
