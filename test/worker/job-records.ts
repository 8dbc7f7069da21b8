import { randomBytes } from 'node:crypto';
import { uuidv7 } from 'uuidv7';
import { OutputLinks, SecretKeyring } from '#libs/domain';
import type { Announcer } from '#libs/messaging';
import {
  EndJob,
  type Claim,
  type ClaimedJob,
  ClaimStore,
  Database,
  EventStore,
  type JobEnding,
  migrate,
  ObjectStore,
  statement,
  type Tx,
} from '#libs/persistence';
import { pino } from 'pino';
import { SettleJob } from '../../apps/worker/src/run-job/settle-job.js';
import { startTestPostgres, type TestPostgres } from '../support/postgres.js';
import { waitingForLocks } from '../support/waiting-for-locks.js';

/** A transaction that stays open until it is told how to end. */
export interface HeldTransaction {
  commit(): Promise<void>;
  rollback(): Promise<void>;
}

/** What a job is queued with; times in milliseconds. */
export interface QueuedJobOptions {
  readonly accountId?: string;
  /** Since when it is ready; negative: when it will be. */
  readonly readyForMs?: number;
  readonly key?: string;
  readonly operation?: string;
  readonly options?: object;
  readonly inputs?: readonly string[];
  /** Jobs whose first outputs are inputs too, behind the objects; they have not ended. */
  readonly awaits?: readonly string[];
  readonly batchId?: string;
}

export const keyring = SecretKeyring.parse(`k1:${Buffer.alloc(32, 1).toString('base64')}`, randomBytes);
export const links = new OutputLinks('https://pdf.example', keyring);
export const retention = { jobMs: 40_000, artifactMs: 30_000, keyMs: 20_000 };
export const leaseMs = 20_000;
export const silentLog = pino({ level: 'silent' });

const plainJob = {
  ...{ readyForMs: 0, key: null, operation: 'merge', options: {}, batchId: null },
  ...{ inputs: [] as readonly string[], awaits: [] as readonly string[] },
};

const rolledBack = new Error('rolled back');

/** Jobs and objects as the API leaves them, on a database of their own. */
export class JobRecords {
  readonly store: ClaimStore;
  readonly objects = new ObjectStore();
  readonly #held: HeldTransaction[] = [];

  private constructor(
    private readonly postgres: TestPostgres,
    readonly url: string,
    readonly database: Database,
  ) {
    this.store = new ClaimStore(database);
  }

  static async open(): Promise<JobRecords> {
    const postgres = await startTestPostgres();
    const url = await postgres.createDatabase();
    await migrate(url);
    return new JobRecords(postgres, url, new Database({ url, purpose: 'work', poolSize: 20 }));
  }

  async close(): Promise<void> {
    for (const held of this.#held) await held.rollback();
    await this.database.close();
    await this.postgres.stop();
  }

  /** Runs SQL of a test. */
  async run<Row extends object>(text: string, values: readonly unknown[] = []): Promise<Row[]> {
    return this.database.query<Row>(statement('', text), values);
  }

  /** Empties every table; what a failed test holds open is rolled back. */
  async clear(): Promise<void> {
    for (const held of this.#held.splice(0)) await held.rollback();
    await this.run('TRUNCATE accounts, idempotency_keys, outbox, deleted_objects, installation CASCADE');
  }

  /** Ends every connection to the database that calls itself so. */
  async loseConnections(applicationName: string): Promise<void> {
    await this.run(
      'SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = current_database() AND application_name = $1',
      [applicationName],
    );
  }

  async account(): Promise<string> {
    const id = uuidv7();
    await this.run('INSERT INTO accounts (id, name) VALUES ($1, $2)', [id, id]);
    return id;
  }

  /** A live API key of an account, without scopes; gives its id. */
  async apiKey(accountId: string): Promise<string> {
    const id = uuidv7();
    await this.run(
      `INSERT INTO api_keys (id, account_id, name, secret_sha256, scopes) VALUES ($1::uuid, $2, 'test', sha256($1::text::bytea), '{}')`,
      [id, accountId],
    );
    return id;
  }

  /** A queued job with one input for each object, under a key if one is given. */
  async queue(options: QueuedJobOptions = {}): Promise<string> {
    const { readyForMs, key, inputs, operation, awaits, batchId, options: given } = { ...plainJob, ...options };
    const accountId = options.accountId ?? (await this.account());
    const id = uuidv7();
    await this.run(
      `WITH job AS (
         INSERT INTO jobs (id, account_id, operation, options, metadata, idempotency_key, ready_at, progress_total, progress_unit, created_at,
           awaits_inputs, batch_id, client_item_id)
         VALUES ($1::uuid, $2, $5, $6, '{"order":"42"}', $3, now() - $4::float8 * interval '1 millisecond', 2, 'inputs', now(),
           cardinality($8::uuid[]) > 0, $9, CASE WHEN $9::uuid IS NOT NULL THEN $1::uuid::text END)
         RETURNING id
       )
       INSERT INTO job_inputs (job_id, index, name, media_type, size, sha256, object_id)
       SELECT job.id, input.index - 1, 'a.pdf', 'application/pdf', 100, decode(repeat('ab', 32), 'hex'), input.object_id
       FROM job, unnest($7::uuid[]) WITH ORDINALITY AS input (object_id, index)`,
      [id, accountId, key, readyForMs, operation, given, inputs, awaits, batchId],
    );
    await this.await(id, awaits, inputs.length);
    if (key !== null) await this.key(accountId, key, id);
    return id;
  }

  /** Makes the first outputs of other jobs inputs of a job, behind those that it has. */
  private async await(id: string, awaits: readonly string[], first: number): Promise<void> {
    await this.run(
      `INSERT INTO job_inputs (job_id, index, source_job_id, source_output)
       SELECT $1, $3::integer + source.index - 1, source.id, 0 FROM unnest($2::uuid[]) WITH ORDINALITY AS source (id, index)`,
      [id, awaits, first],
    );
  }

  /** A batch of this many queued jobs, under a key; gives its id and those of its jobs. */
  async batch(accountId: string, items: number): Promise<{ readonly batchId: string; readonly jobIds: string[] }> {
    const batchId = uuidv7();
    await this.run(
      'INSERT INTO batches (id, account_id, items, open_items, created_at) VALUES ($1, $2, $3, $3, now())',
      [batchId, accountId, items],
    );
    await this.key(accountId, batchId, null);
    await this.run('UPDATE idempotency_keys SET batch_id = $1::uuid WHERE key = $1::uuid::text', [batchId]);
    const jobIds: string[] = [];
    for (let item = 0; item < items; item += 1) jobIds.push(await this.queue({ accountId, batchId }));
    return { batchId, jobIds };
  }

  async key(accountId: string, key: string, jobId: string | null, expiresInMs: number | null = null): Promise<void> {
    await this.run(
      `INSERT INTO idempotency_keys (account_id, route, key, fingerprint, job_id, status, content_type, body, expires_at)
       VALUES ($1, 'POST /v1/jobs', $2, 'f', $3, 202, 'application/json', '', now() + $4::float8 * interval '1 millisecond')`,
      [accountId, key, jobId, expiresInMs],
    );
  }

  /** A complete object, made `ageMs` ago; of an output of this claim, or else an upload. */
  async object(accountId: string, options: { readonly claim?: Claim; readonly ageMs?: number } = {}): Promise<string> {
    const { claim, ageMs = 0 } = options;
    const id = uuidv7();
    const name = claim === undefined ? `uploads/${id}` : `${claim.jobId}/${claim.claim}/${id}`;
    const purpose = claim === undefined ? 'upload' : 'output';
    await this.objects.register(this.database, { id, accountId, name, purpose, ...claim });
    await this.objects.complete(this.database, id, { size: 7, sha256: 'cd'.repeat(32) });
    await this.run(`UPDATE objects SET created_at = now() - $2::float8 * interval '1 millisecond' WHERE id = $1`, [
      id,
      ageMs,
    ]);
    return id;
  }

  async objectIds(): Promise<string[]> {
    return (await this.run<{ id: string }>('SELECT id FROM objects ORDER BY id')).map((row) => row.id);
  }

  async job(id: string): Promise<Record<string, unknown>> {
    const [row] = await this.run<Record<string, unknown>>(
      `SELECT *, extract(epoch FROM lease_until - now())::float8 * 1000 AS lease_ms,
              extract(epoch FROM ready_at - now())::float8 * 1000 AS ready_in_ms
       FROM jobs WHERE id = $1`,
      [id],
    );
    if (row === undefined) throw new Error(`no job ${id}`);
    return row;
  }

  async claim(limit = 1, jobIds: readonly string[] = [], pollMs = 500): Promise<readonly ClaimedJob[]> {
    return (await this.store.claim({ limit, leaseMs, afterAccountId: null, jobIds, pollMs })).jobs;
  }

  async claimOne(): Promise<ClaimedJob> {
    const [job] = await this.claim();
    if (job === undefined) throw new Error('nothing to claim');
    return job;
  }

  /** Lets the lease of a job end now. */
  async endLease(jobId: string): Promise<void> {
    await this.run(`UPDATE jobs SET lease_until = now() - interval '1 second' WHERE id = $1`, [jobId]);
  }

  /** The end of a job with one stored output of its claim. */
  async completion(job: ClaimedJob): Promise<JobEnding> {
    const objectId = await this.object(job.accountId, { claim: claimOf(job) });
    const output = {
      name: 'merged.pdf',
      mediaType: 'application/pdf',
      sizeBytes: 7,
      sha256: 'cd'.repeat(32),
      pages: 6,
    };
    return { state: 'completed', outputs: [{ ...output, objectId }], warnings: ['repaired'], total: 2 };
  }

  readonly endJob = new EndJob({
    events: new EventStore({ topic: 'pdfonce.events.v1', state: 'local' }),
    links,
    retention,
  });

  settleJob(announcer: Announcer = { announce: () => undefined }, database = this.database): SettleJob {
    return new SettleJob({
      database,
      endJob: this.endJob,
      announcer,
      linkKeyId: keyring.currentId,
      giveUp: new AbortController().signal,
      log: silentLog,
    });
  }

  async count(table: string): Promise<number> {
    const [row] = await this.run<{ count: number }>(`SELECT count(*) AS count FROM ${table}`);
    return row?.count ?? 0;
  }

  /** How many sessions wait for a lock. */
  async waitingForLocks(): Promise<number> {
    return waitingForLocks((sql, values) => this.run(sql, values));
  }

  /** Does something in a transaction that then stays open. */
  async hold(work: (tx: Tx) => Promise<unknown>): Promise<HeldTransaction> {
    let end: (isCommit: boolean) => void = () => undefined;
    const told = new Promise<boolean>((resolve) => (end = resolve));
    let done: () => void = () => undefined;
    const isDone = new Promise<void>((resolve) => (done = resolve));
    const transaction = this.database
      .transaction(async (tx) => {
        await work(tx);
        done();
        if (!(await told)) throw rolledBack;
      })
      .catch((error: unknown) => {
        if (error !== rolledBack) throw error;
      });
    await Promise.race([isDone, transaction]);
    const endAs = (isCommit: boolean) => {
      end(isCommit);
      return transaction;
    };
    const held = { commit: () => endAs(true), rollback: () => endAs(false) };
    this.#held.push(held);
    return held;
  }
}

export function claimOf({ jobId, claim }: Claim): Claim {
  return { jobId, claim };
}

/** SQL of a test, for a transaction. */
export function sql(text: string) {
  return statement('', text);
}
