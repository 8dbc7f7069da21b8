import { createHash } from 'node:crypto';
import { uuidv7 } from 'uuidv7';
import {
  ApiKeyStore,
  Database,
  DeliveryReader,
  EndpointStore,
  type EventCursor,
  EventReader,
  FileStore,
  type JobFilter,
  JobReader,
  migrate,
  type Queryable,
  type StoredEvent,
  UsageStore,
} from '#libs/persistence';
import type { Job } from '#libs/domain';
import { SeededRandom } from '../faults/random.js';
import { startTestPostgres, type TestPostgres } from '../support/postgres.js';

const contentHash = createHash('sha256').update('content').digest();
const sha256 = contentHash.toString('hex');

let postgres: TestPostgres;
let database: Database;
let jobs: JobReader;

/** Instants and days must not depend on the time zone of the session, so the database has one far from UTC. */
beforeAll(async () => {
  postgres = await startTestPostgres();
  const url = await postgres.createDatabase();
  await migrate(url);
  const name = new URL(url).pathname.slice(1);
  await postgres.query(`ALTER DATABASE ${name} SET timezone = 'Pacific/Auckland'`);
  database = new Database({ url, purpose: 'work', poolSize: 20 });
  jobs = new JobReader(database);
}, 60_000);

afterAll(async () => {
  await database.close();
  await postgres.stop();
}, 60_000);

function run<Row extends object>(text: string, values: unknown[] = []): Promise<Row[]> {
  return database.query<Row>({ name: '', text }, values);
}

async function newAccount(): Promise<string> {
  const id = uuidv7();
  await run('INSERT INTO accounts (id, name) VALUES ($1::uuid, $1::text)', [id]);
  return id;
}

interface JobParts {
  readonly state?: Job['state'];
  readonly operation?: string;
  readonly idempotencyKey?: string;
  readonly createdAt?: Date;
}

async function newJob(accountId: string, parts: JobParts = {}): Promise<string> {
  const id = uuidv7();
  const { state = 'queued', operation = 'merge', idempotencyKey = null, createdAt = new Date() } = parts;
  await run(
    `INSERT INTO jobs (id, account_id, operation, options, metadata, idempotency_key, state, progress_total, progress_unit, created_at,
                       lease_until, finished_at, error)
     VALUES ($1, $2, $3, '{}', '{}', $4, $5, 1, 'inputs', $6,
             CASE WHEN $5 = 'processing' THEN now() END, CASE WHEN $5 IN ('completed', 'failed', 'cancelled') THEN now() END,
             CASE WHEN $5 = 'failed' THEN '{"code":"not_a_pdf","message":"m","retryable":false,"input":0}'::jsonb END)`,
    [id, accountId, operation, idempotencyKey, state, createdAt],
  );
  await keepKey(id);
  return id;
}

/** The record of a key is there until its job has ended, at least; each is of a route of its own, so that many may have one name. */
async function keepKey(jobId: string): Promise<void> {
  await run(
    `INSERT INTO idempotency_keys (account_id, route, key, fingerprint, job_id, status, content_type, body)
     SELECT account_id, 'POST /' || id, idempotency_key, 'v1:0', id, 202, 'application/json', '' FROM jobs
     WHERE id = $1 AND idempotency_key IS NOT NULL AND finished_at IS NULL`,
    [jobId],
  );
}

async function newBatch(accountId: string, openItems: number): Promise<string> {
  const id = uuidv7();
  await run(
    `INSERT INTO batches (id, account_id, items, open_items, created_at, finished_at)
     VALUES ($1, $2, 1, $3::integer, now(), CASE WHEN $3 = 0 THEN now() END)`,
    [id, accountId, openItems],
  );
  return id;
}

async function newObject(accountId: string): Promise<{ id: string; name: string }> {
  const object = { id: uuidv7(), name: `uploads/${uuidv7()}` };
  await run(
    `INSERT INTO objects (id, account_id, name, purpose, size, sha256, completed_at) VALUES ($1, $2, $3, 'upload', 7, $4, now())`,
    [object.id, accountId, object.name, contentHash],
  );
  return object;
}

async function newOutput(jobId: string, index: number, objectId: string | null, expiresAt: Date): Promise<void> {
  await run(
    `INSERT INTO job_outputs (job_id, index, name, media_type, size, sha256, pages, object_id, link_key_id, expires_at)
     VALUES ($1, $2::int, 'part-' || $2::int || '.pdf', 'application/pdf', 7, $3, 2, $4, 'k1', $5)`,
    [jobId, index, contentHash, objectId, expiresAt],
  );
}

async function newFile(accountId: string, objectId: string, expiresAt: Date): Promise<string> {
  const id = uuidv7();
  await run(
    `INSERT INTO files (id, account_id, object_id, name, media_type, size, sha256, created_at, expires_at)
     VALUES ($1, $2, $3, 'a.pdf', 'application/pdf', 7, $4, '2026-11-30T10:00:00.123Z', $5)`,
    [id, accountId, objectId, contentHash, expiresAt],
  );
  return id;
}

const insertEvent = `INSERT INTO events (id, account_id, type, body, occurred_at) VALUES ($1, $2, 'webhook.ping', $3, now())`;

async function newEvent(accountId: string, body = '{}'): Promise<string> {
  const id = uuidv7();
  await run(insertEvent, [id, accountId, body]);
  return id;
}

async function newEndpoint(accountId: string): Promise<string> {
  const id = uuidv7();
  await run(
    `INSERT INTO webhook_endpoints (id, account_id, url, event_types, metadata, created_at) VALUES ($1, $2, 'https://example.com', '{*}', '{}', now())`,
    [id, accountId],
  );
  return id;
}

async function newDelivery(
  accountId: string,
  eventId: string,
  endpointId: string,
  state: 'pending' | 'delivered' = 'pending',
): Promise<string> {
  const id = uuidv7();
  await run(
    `INSERT INTO deliveries (id, account_id, event_id, endpoint_id, state, next_attempt_at)
     VALUES ($1, $2, $3, $4, $5, CASE $5 WHEN 'pending' THEN '2026-11-30T10:00:00.123Z'::timestamptz END)`,
    [id, accountId, eventId, endpointId, state],
  );
  return id;
}

function inAnHour(): Date {
  return new Date(Date.now() + 3_600_000);
}

function anHourAgo(): Date {
  return new Date(Date.now() - 3_600_000);
}

/** A list that is walked from its newest row on, and how a row is added to it. */
interface Walk {
  readonly add: () => Promise<string>;
  readonly page: (before: string | undefined, limit: number) => Promise<readonly { readonly id: string }[]>;
}

/** Walks a list page by page; rows are added before every page. */
async function walkWhileAdding({ add, page }: Walk, limit: number): Promise<string[]> {
  const seen: string[] = [];
  for (;;) {
    const [rows] = await Promise.all([page(seen.at(-1), limit), add(), add()]);
    if (rows.length === 0) return seen;
    seen.push(...rows.map((row) => row.id));
  }
}

const walks: [string, (accountId: string) => Promise<Walk>][] = [
  [
    'jobs',
    async (accountId) => ({
      add: () => newJob(accountId),
      page: (before, limit) => jobs.list(accountId, { before, limit }),
    }),
  ],
  [
    'events',
    async (accountId) => ({
      add: () => newEvent(accountId),
      page: (before, limit) => new EventReader(database).list(accountId, { order: 'desc', before, limit }),
    }),
  ],
  [
    'endpoints',
    async (accountId) => ({
      add: () => newEndpoint(accountId),
      page: (before, limit) => new EndpointStore(database).list(accountId, { before, limit }),
    }),
  ],
  [
    'deliveries',
    async (accountId) => {
      const endpointId = await newEndpoint(accountId);
      return {
        add: async () => newDelivery(accountId, await newEvent(accountId), endpointId),
        page: (before, limit) => new DeliveryReader(database).list(accountId, { before, limit }),
      };
    },
  ],
];

describe('a list', () => {
  it.each(walks)(
    'of %s repeats and skips no row when rows are added meanwhile (contract 2.13)',
    async (_list, walkOf) => {
      const walk = await walkOf(await newAccount());
      const present: string[] = [];
      for (let count = 0; count < 23; count += 1) present.unshift(await walk.add());
      const seen = await walkWhileAdding(walk, 5);
      expect(seen.slice(-present.length)).toEqual(present);
      expect(new Set(seen).size).toBe(seen.length);
      expect(seen).toEqual([...seen].sort().reverse());
    },
  );
});

/** The rows that the statement of a reader reads and throws away, by a plan made without knowledge of its values. */
async function rowsWasted(read: (recorder: Queryable) => Promise<unknown>): Promise<number> {
  const statements: { text: string; values: readonly unknown[] }[] = [];
  await read({
    query: async ({ text }, values = []) => {
      statements.push({ text, values });
      return [];
    },
  });
  const { text, values } = statements[0]!;
  const literals = values.map((value) => (value === null ? 'NULL' : `'${value as string | number}'`)).join(', ');
  return database.transaction(async (tx) => {
    const sql = <Row extends object>(command: string) => tx.query<Row>({ name: '', text: command });
    await sql('SET LOCAL plan_cache_mode = force_generic_plan');
    await sql(`PREPARE reading AS ${text}`);
    const explained = await sql<{ 'QUERY PLAN': object }>(
      `EXPLAIN (ANALYZE, FORMAT JSON) EXECUTE reading (${literals})`,
    );
    await sql('DEALLOCATE reading');
    const removed = JSON.stringify(explained).matchAll(/"Rows Removed by Filter":\s*(\d+)/g);
    return [...removed].reduce((sum, [, count]) => sum + Number(count), 0);
  });
}

describe('a list of an account with few rows', () => {
  it("is read without reading another account's rows, however many and new they are", async () => {
    const [accountId, floodId] = [await newAccount(), await newAccount()];
    const endpointId = await newEndpoint(accountId);
    const eventId = await newEvent(accountId);
    await newDelivery(accountId, eventId, endpointId);
    const jobId = await newJob(accountId, { idempotencyKey: 'order-42' });
    const [batchId, floodBatchId] = [await newBatch(accountId, 1), await newBatch(floodId, 1)];
    await run(`UPDATE jobs SET batch_id = $2, client_item_id = 'only' WHERE id = $1`, [jobId, batchId]);
    const floodEndpointId = await newEndpoint(floodId);
    await run(
      `INSERT INTO jobs (id, account_id, operation, options, metadata, idempotency_key, batch_id, client_item_id, progress_total, progress_unit, created_at)
       SELECT new_uuid_v7(), $1, 'merge', '{}', '{}', 'key-' || n, $2, n, 1, 'inputs', now() FROM generate_series(1, 5000) AS n`,
      [floodId, floodBatchId],
    );
    await run(
      `WITH flood AS (
         INSERT INTO events (id, account_id, type, body, occurred_at)
         SELECT new_uuid_v7(), $1, 'webhook.ping', '{}', now() FROM generate_series(1, 5000) RETURNING id
       )
       INSERT INTO deliveries (id, account_id, event_id, endpoint_id, state)
       SELECT new_uuid_v7(), $1, id, $2, 'delivered' FROM flood`,
      [floodId, floodEndpointId],
    );
    await run(
      `INSERT INTO idempotency_keys (account_id, route, key, fingerprint, job_id, status, content_type, body)
       SELECT account_id, 'POST /v1/jobs', idempotency_key, 'v1:0', id, 202, 'application/json', '' FROM jobs WHERE account_id = $1`,
      [floodId],
    );
    await run('ANALYZE jobs, idempotency_keys, events, deliveries');
    const limit = 20;
    const reads: [string, (recorder: Queryable) => Promise<unknown>][] = [
      ['jobs', (recorder) => new JobReader(recorder).list(accountId, { limit })],
      ['jobs of a key', (recorder) => new JobReader(recorder).list(accountId, { idempotencyKey: 'order-42', limit })],
      ['jobs of a batch', (recorder) => new JobReader(recorder).listOfBatch(accountId, batchId, { limit })],
      ['newest events', (recorder) => new EventReader(recorder).list(accountId, { order: 'desc', limit })],
      ['events in order', (recorder) => new EventReader(recorder).list(accountId, { order: 'asc', limit })],
      ['deliveries', (recorder) => new DeliveryReader(recorder).list(accountId, { limit })],
      ['deliveries of an event', (recorder) => new DeliveryReader(recorder).list(accountId, { eventId, limit })],
      ['deliveries of an endpoint', (recorder) => new DeliveryReader(recorder).list(accountId, { endpointId, limit })],
    ];
    for (const [list, read] of reads) expect([list, await rowsWasted(read)]).toEqual([list, 0]);
  }, 30_000);
});

describe("another account's id", () => {
  it('finds nothing (contract 7.3)', async () => {
    const [accountId, otherId] = [await newAccount(), await newAccount()];
    const jobId = await newJob(accountId, { state: 'completed', idempotencyKey: 'order-42' });
    const { id: objectId } = await newObject(accountId);
    await newOutput(jobId, 0, objectId, inAnHour());
    const fileId = await newFile(accountId, objectId, inAnHour());
    const eventId = await newEvent(accountId);
    const endpointId = await newEndpoint(accountId);
    const deliveryId = await newDelivery(accountId, eventId, endpointId);
    const [files, events, deliveries] = [
      new FileStore(database),
      new EventReader(database),
      new DeliveryReader(database),
    ];
    const found = [
      await jobs.find(otherId, jobId),
      await files.find(otherId, fileId),
      await events.find(otherId, eventId),
      await deliveries.find(otherId, deliveryId),
    ];
    expect(found).toEqual([null, null, null, null]);
    expect(await files.findUsable([{ accountId: otherId, fileId }])).toEqual([null]);
    expect(await jobs.findJobOutputs(otherId, [{ jobId, index: 0 }])).toEqual([{ state: null, document: null }]);
    const lists = [
      await jobs.list(otherId, { limit: 100 }),
      await jobs.list(otherId, { idempotencyKey: 'order-42', limit: 100 }),
      await events.list(otherId, { order: 'desc', limit: 100 }),
      await events.list(otherId, { order: 'asc', limit: 100 }),
      await deliveries.list(otherId, { limit: 100 }),
      await deliveries.list(otherId, { eventId, limit: 100 }),
      await deliveries.list(otherId, { endpointId, limit: 100 }),
    ];
    expect(lists.flat()).toEqual([]);
    expect(await jobs.find(accountId, jobId)).not.toBeNull();
  });
});

describe('a job', () => {
  it('is read with its inputs and outputs in the order of their indexes', async () => {
    const accountId = await newAccount();
    const id = await newJob(accountId, { idempotencyKey: 'order-42' });
    const batchId = uuidv7();
    await run(
      `INSERT INTO batches (id, account_id, items, open_items, created_at, finished_at, expires_at)
       VALUES ($1, $2, 1, 0, now(), now(), '2026-12-30T10:00:02.004Z')`,
      [batchId, accountId],
    );
    await run(
      `UPDATE jobs SET state = 'completed', attempt = 2, metadata = '{"order":"42"}', batch_id = $2, client_item_id = 'first',
              progress_done = 2, progress_total = 2, warnings = '["repaired"]', created_at = '2026-11-30T10:00:00.001Z',
              started_at = '2026-11-30T10:00:01.002Z', finished_at = '2026-11-30T10:00:02.003Z'
       WHERE id = $1`,
      [id, batchId],
    );
    const { id: objectId } = await newObject(accountId);
    const expiresAt = new Date('2026-12-07T10:00:02.005Z');
    await newOutput(id, 1, objectId, expiresAt);
    await newOutput(id, 0, objectId, expiresAt);
    await run(
      `INSERT INTO job_inputs (job_id, index, name, media_type, size, sha256, url)
       VALUES ($1, 1, 'b', 'text/html', NULL, NULL, 'https://example.com/'), ($1, 0, 'ä".pdf', 'application/pdf', 5000000000, $2, NULL)`,
      [id, contentHash],
    );
    const output = { mediaType: 'application/pdf', sizeBytes: 7, sha256, pages: 2, expiresAt, linkKeyId: 'k1' };
    const job: Job = {
      id,
      operation: 'merge',
      state: 'completed',
      attempt: 2,
      idempotencyKey: 'order-42',
      progress: { done: 2, total: 2, unit: 'inputs' },
      metadata: { order: '42' },
      batchId,
      clientItemId: 'first',
      createdAt: new Date('2026-11-30T10:00:00.001Z'),
      startedAt: new Date('2026-11-30T10:00:01.002Z'),
      finishedAt: new Date('2026-11-30T10:00:02.003Z'),
      expiresAt: new Date('2026-12-30T10:00:02.004Z'),
      inputs: [
        { name: 'ä".pdf', mediaType: 'application/pdf', sizeBytes: 5_000_000_000, sha256 },
        { name: 'b', mediaType: 'text/html', sizeBytes: null, sha256: null },
      ],
      outputs: [
        { index: 0, name: 'part-0.pdf', ...output },
        { index: 1, name: 'part-1.pdf', ...output },
      ],
      warnings: ['repaired'],
      error: null,
    };
    expect(await jobs.find(accountId, id)).toEqual(job);
    expect(await jobs.list(accountId, { limit: 20 })).toEqual([job]);
  });

  it('that failed before limits were told is read with none', async () => {
    const accountId = await newAccount();
    const id = await newJob(accountId, { state: 'failed' });
    expect((await jobs.find(accountId, id))?.error).toEqual({
      ...{ code: 'not_a_pdf', message: 'm', retryable: false, input: 0 },
      limit: null,
    });
  });

  it('is read without what it does not have yet', async () => {
    const accountId = await newAccount();
    const job = await jobs.find(accountId, await newJob(accountId));
    expect(job).toMatchObject({ state: 'queued', attempt: 0, inputs: [], outputs: [], warnings: [], error: null });
    expect([job?.idempotencyKey, job?.batchId, job?.startedAt, job?.finishedAt, job?.expiresAt]).toEqual(
      Array.from({ length: 5 }, () => null),
    );
  });

  it('is listed by every filter that it fits and by no other (contract 2.13)', async () => {
    const accountId = await newAccount();
    const days = ['2026-11-01T00:00:00.000Z', '2026-11-02T00:00:00.000Z', '2026-11-03T00:00:00.000Z'];
    for (const state of ['queued', 'processing', 'completed', 'failed', 'cancelled'] as const)
      for (const operation of ['merge', 'split'])
        for (const [index, day] of days.entries())
          await newJob(accountId, { state, operation, createdAt: new Date(day), idempotencyKey: `key-${index}` });
    const all = await jobs.list(accountId, { limit: 100 });
    expect(all).toHaveLength(30);
    const filters: JobFilter[] = [
      { state: 'failed', limit: 100 },
      { operation: 'split', limit: 100 },
      { createdFrom: new Date(days[1]!), limit: 100 },
      { createdTo: new Date(days[1]!), limit: 100 },
      { createdFrom: new Date(days[1]!), createdTo: new Date(days[2]!), limit: 100 },
      { idempotencyKey: 'key-1', limit: 100 },
      { idempotencyKey: 'key-1', state: 'completed', operation: 'merge', createdFrom: new Date(days[1]!), limit: 100 },
      { idempotencyKey: 'key-1', createdTo: new Date(days[1]!), limit: 100 },
      { state: 'queued', operation: 'merge', before: all[10]!.id, limit: 2 },
      { idempotencyKey: 'key-2', before: all[10]!.id, limit: 2 },
      { idempotencyKey: 'unknown', limit: 100 },
    ];
    for (const filter of filters) {
      const expected = all.filter((job) => fits(job, filter)).slice(0, filter.limit);
      expect({ filter, ids: (await jobs.list(accountId, filter)).map((job) => job.id) }).toEqual({
        filter,
        ids: expected.map((job) => job.id),
      });
    }
  });

  it('is told to those who wait for it, or for its batch, when that has ended, and not before', async () => {
    const accountId = await newAccount();
    const open = [
      await newJob(accountId, { state: 'queued' }),
      await newJob(accountId, { state: 'processing' }),
      uuidv7(),
    ];
    const ended = [
      await newJob(accountId, { state: 'completed' }),
      await newJob(await newAccount(), { state: 'failed' }),
      await newJob(accountId, { state: 'cancelled' }),
    ];
    const [openBatch, endedBatch] = [await newBatch(accountId, 1), await newBatch(accountId, 0)];
    const told = await jobs.endedAmong({
      jobs: [...open, ...ended],
      batches: [openBatch, endedBatch, uuidv7()],
      deliveries: [],
    });
    expect(told.sort()).toEqual([...ended, endedBatch].sort());
    expect(await jobs.endedAmong({ jobs: [endedBatch], batches: ended, deliveries: ended })).toEqual([]);
    expect(await jobs.endedAmong({ jobs: [], batches: [], deliveries: [] })).toEqual([]);
  });
});

function fits(job: Job, filter: JobFilter): boolean {
  return [
    filter.state === undefined || job.state === filter.state,
    filter.operation === undefined || job.operation === filter.operation,
    filter.idempotencyKey === undefined || job.idempotencyKey === filter.idempotencyKey,
    filter.createdFrom === undefined || job.createdAt >= filter.createdFrom,
    filter.createdTo === undefined || job.createdAt < filter.createdTo,
    filter.before === undefined || job.id < filter.before,
  ].every(Boolean);
}

describe('an output', () => {
  it('is found with its object until it expires or the object is dropped, and without it from then on (contract 2.7)', async () => {
    const accountId = await newAccount();
    const jobId = await newJob(accountId, { state: 'completed' });
    const object = await newObject(accountId);
    const [live, past] = [inAnHour(), anHourAgo()];
    await newOutput(jobId, 0, object.id, live);
    await newOutput(jobId, 1, object.id, past);
    await newOutput(jobId, 2, null, live);
    const output = {
      accountId,
      mediaType: 'application/pdf',
      sizeBytes: 7,
      sha256,
      pages: 2,
      linkKeyId: 'k1',
    };
    expect(await jobs.findOutput(jobId, 0)).toEqual({
      ...output,
      name: 'part-0.pdf',
      objectName: object.name,
      expiresAt: live,
    });
    expect(await jobs.findOutput(jobId, 1)).toEqual({
      ...output,
      name: 'part-1.pdf',
      objectName: null,
      expiresAt: past,
    });
    expect(await jobs.findOutput(jobId, 2)).toMatchObject({ objectName: null });
  });

  it('is not found under a number or a job that has none', async () => {
    const jobId = await newJob(await newAccount(), { state: 'completed' });
    for (const index of [0, -1, 4_294_967_296, Number.MAX_SAFE_INTEGER]) {
      expect(await jobs.findOutput(jobId, index)).toBeNull();
    }
    expect(await jobs.findOutput(uuidv7(), 0)).toBeNull();
  });

  it('is an input for another job as long as it has not expired, each reference answered in its place', async () => {
    const accountId = await newAccount();
    const jobId = await newJob(accountId, { state: 'completed' });
    const runningId = await newJob(accountId, { state: 'processing' });
    const object = await newObject(accountId);
    await newOutput(jobId, 0, object.id, inAnHour());
    await newOutput(jobId, 1, object.id, anHourAgo());
    await newOutput(jobId, 2, null, inAnHour());
    const document = {
      objectId: object.id,
      name: 'part-0.pdf',
      mediaType: 'application/pdf',
      sizeBytes: 7,
      sha256,
    };
    const references = [
      { jobId: uuidv7(), index: 0 },
      { jobId, index: 0 },
      { jobId, index: 1 },
      { jobId: runningId, index: 0 },
      { jobId, index: 2 },
      { jobId, index: Number.MAX_SAFE_INTEGER },
      { jobId, index: 0 },
    ];
    expect(await jobs.findJobOutputs(accountId, references)).toEqual([
      { state: null, document: null },
      { state: 'completed', document },
      { state: 'completed', document: null },
      { state: 'processing', document: null },
      { state: 'completed', document: null },
      { state: 'completed', document: null },
      { state: 'completed', document },
    ]);
    expect(await jobs.findJobOutputs(accountId, [])).toEqual([]);
  });
});

describe('a file', () => {
  it('is found and usable until it expires, each id answered in its place (contract 2.3)', async () => {
    const accountId = await newAccount();
    const files = new FileStore(database);
    const object = await newObject(accountId);
    const expiresAt = inAnHour();
    const live = await newFile(accountId, object.id, expiresAt);
    const expired = await newFile(accountId, object.id, anHourAgo());
    const content = { name: 'a.pdf', mediaType: 'application/pdf', sizeBytes: 7, sha256 };
    const createdAt = new Date('2026-11-30T10:00:00.123Z');
    expect(await files.find(accountId, live)).toEqual({ id: live, ...content, createdAt, expiresAt });
    expect(await files.find(accountId, expired)).toBeNull();
    const document = { objectId: object.id, ...content };
    const asked = [expired, live, uuidv7(), live].map((fileId) => ({ accountId, fileId }));
    expect(await files.findUsable(asked)).toEqual([null, document, null, document]);
  });
});

describe('a delivery', () => {
  it('is read with its attempts in their order and the type of its event', async () => {
    const accountId = await newAccount();
    const deliveries = new DeliveryReader(database);
    const [eventId, endpointId] = [await newEvent(accountId), await newEndpoint(accountId)];
    const id = await newDelivery(accountId, eventId, endpointId);
    await run(
      `INSERT INTO delivery_attempts (delivery_id, number, claim, started_at, duration_ms, outcome, status_code, response_body)
       VALUES ($1, 2, 2, '2026-11-30T10:00:05.006Z', NULL, 'unknown', NULL, NULL),
              ($1, 1, 1, '2026-11-30T10:00:00.001Z', 12, 'server_error', 503, E'busy "now"\n')`,
      [id],
    );
    const delivery = {
      id,
      eventId,
      eventType: 'webhook.ping',
      endpointId,
      state: 'pending',
      attempts: [
        {
          number: 1,
          startedAt: new Date('2026-11-30T10:00:00.001Z'),
          durationMs: 12,
          outcome: 'server_error',
          statusCode: 503,
          responseBody: 'busy "now"\n',
        },
        {
          number: 2,
          startedAt: new Date('2026-11-30T10:00:05.006Z'),
          durationMs: null,
          outcome: 'unknown',
          statusCode: null,
          responseBody: null,
        },
      ],
      nextAttemptAt: new Date('2026-11-30T10:00:00.123Z'),
      redeliveryOf: null,
      createdAt: expect.any(Date),
    };
    expect(await deliveries.find(accountId, id)).toEqual(delivery);
    expect(await deliveries.list(accountId, { limit: 20 })).toEqual([delivery]);
  });

  it('is listed by every filter that it fits and by no other', async () => {
    const accountId = await newAccount();
    const deliveries = new DeliveryReader(database);
    const events = [await newEvent(accountId), await newEvent(accountId)];
    const endpoints = [await newEndpoint(accountId), await newEndpoint(accountId)];
    for (const [index, eventId] of events.entries())
      for (const endpointId of endpoints)
        await newDelivery(accountId, eventId, endpointId, index === 0 ? 'pending' : 'delivered');
    const all = await deliveries.list(accountId, { limit: 100 });
    const [eventId, endpointId] = [events[0]!, endpoints[0]!];
    const filters = [
      { eventId, limit: 100 },
      { endpointId, limit: 100 },
      { eventId, endpointId, limit: 100 },
      { state: 'delivered' as const, limit: 100 },
      { endpointId, state: 'delivered' as const, limit: 100 },
      { eventId, state: 'delivered' as const, limit: 100 },
      { endpointId, before: all[0]!.id, limit: 1 },
      { eventId, before: all[2]!.id, limit: 1 },
    ];
    for (const filter of filters) {
      const { limit, before, ...wanted } = filter;
      const expected = all
        .filter((row) => (before === undefined || row.id < before) && isLike(row, wanted))
        .slice(0, limit);
      expect({ filter, rows: await deliveries.list(accountId, filter) }).toEqual({ filter, rows: expected });
    }
  });
});

function isLike(row: object, wanted: object): boolean {
  return Object.entries(wanted).every(([name, value]) => (row as Record<string, unknown>)[name] === value);
}

describe('events in order', () => {
  it('are read byte for byte as they were written', async () => {
    const accountId = await newAccount();
    const events = new EventReader(database);
    const body = '{ "id":"evt_1",  "type":"webhook.ping","data":{"n":1.0,"a":"ä\\u00e4"} }';
    const id = await newEvent(accountId, body);
    expect(await events.find(accountId, id)).toEqual({
      id,
      type: 'webhook.ping',
      occurredAt: expect.any(Date),
      body,
      transactionId: expect.stringMatching(/^\d+$/),
    });
  });

  it('wait for an older transaction that is still running, idle or not, then come after it (contract 3.5)', async () => {
    const accountId = await newAccount();
    const events = new EventReader(database);
    const list = () => events.list(accountId, { order: 'asc', limit: 10 });
    const [older, younger] = [uuidv7(), uuidv7()];
    await database.transaction(async (tx) => {
      await tx.query({ name: '', text: insertEvent }, [older, accountId, '{}']);
      await run(insertEvent, [younger, accountId, '{}']);
      expect(await list()).toEqual([]);
      expect(await events.list(accountId, { order: 'desc', limit: 10 })).toHaveLength(1);
    });
    const seen = await readUntil(events, accountId, 2);
    expect(seen.map((event) => event.id)).toEqual([older, younger]);
  });

  it('skip no late commit and repeat nothing, with 16 writers whose transactions last differently (contract 3.5)', async () => {
    const accountId = await newAccount();
    const [writers, each] = [16, 12];
    const committed: { id: string; transactionId: bigint }[] = [];
    const random = new SeededRandom('writers');
    const write = async (): Promise<void> => {
      for (let count = 0; count < each; count += 1) {
        const id = uuidv7();
        const transactionId = await database.transaction(async (tx) => {
          const [row] = await tx.query<{ id: string }>(
            { name: '', text: `${insertEvent} RETURNING transaction_id::text AS id` },
            [id, accountId, '{}'],
          );
          await tx.query({ name: '', text: 'SELECT pg_sleep($1::float8 / 1000)' }, [random.integer(0, 25)]);
          return BigInt(row?.id ?? 0);
        });
        committed.push({ id, transactionId });
      }
    };
    const total = writers * each;
    const reading = readUntil(new EventReader(database), accountId, total);
    await Promise.all(Array.from({ length: writers }, write));
    const seen = await reading;
    expect(seen.map((event) => event.id).sort()).toEqual(committed.map((event) => event.id).sort());
    const order = seen.map((event) => BigInt(event.transactionId));
    expect(order).toEqual([...order].sort((a, b) => (a < b ? -1 : a > b ? 1 : 0)));
    const late = committed.filter(
      (event, index) => index > 0 && event.transactionId < committed[index - 1]!.transactionId,
    );
    expect(late.length).toBeGreaterThan(total / 10);
  }, 30_000);
});

/** Polls as a consumer does, a small page after the last event it has seen, until it has seen `count` events, at most 20 s long. */
async function readUntil(events: EventReader, accountId: string, count: number): Promise<StoredEvent[]> {
  const seen: StoredEvent[] = [];
  const deadlineAt = Date.now() + 20_000;
  while (seen.length < count && Date.now() < deadlineAt) {
    const after: EventCursor | undefined = seen.at(-1);
    seen.push(...(await events.list(accountId, { order: 'asc', after, limit: 7 })));
  }
  return seen;
}

describe('usage', () => {
  it('is summed by UTC day and operation, from the first instant to before the last (contract 2.15)', async () => {
    const accountId = await newAccount();
    const record = (completedAt: string, operation: string, pages: number, account = accountId) =>
      run(
        `INSERT INTO usage_records (job_id, account_id, operation, pages, input_bytes, output_bytes, completed_at) VALUES ($1, $2, $3, $4, $5, $6, $7)`,
        [uuidv7(), account, operation, pages, 3_000_000_000, 2_500_000_000, completedAt],
      );
    await record('2026-10-31T23:59:59.999Z', 'merge', 1_000);
    await record('2026-11-01T00:00:00.000Z', 'merge', 1);
    await record('2026-11-01T23:59:59.999Z', 'merge', 2);
    await record('2026-11-01T12:00:00.000Z', 'split', 4);
    await record('2026-11-02T00:00:00.000Z', 'merge', 8);
    await record('2026-11-03T00:00:00.000Z', 'merge', 1_000);
    await record('2026-11-02T00:00:00.000Z', 'merge', 1_000, await newAccount());
    const usage = new UsageStore(database);
    const one = { jobs: 1, inputBytes: 3_000_000_000, outputBytes: 2_500_000_000 };
    expect(await usage.report(accountId, new Date('2026-11-01T00:00:00Z'), new Date('2026-11-03T00:00:00Z'))).toEqual([
      {
        date: '2026-11-01',
        operation: 'merge',
        jobs: 2,
        pages: 3,
        inputBytes: 6_000_000_000,
        outputBytes: 5_000_000_000,
      },
      { date: '2026-11-01', operation: 'split', pages: 4, ...one },
      { date: '2026-11-02', operation: 'merge', pages: 8, ...one },
    ]);
    expect(
      await usage.report(await newAccount(), new Date('2026-01-01T00:00:00Z'), new Date('2027-01-01T00:00:00Z')),
    ).toEqual([]);
  });
});

describe('an API key', () => {
  let keys: ApiKeyStore;

  beforeAll(() => {
    keys = new ApiKeyStore(database);
  });

  function secretOf(text: string): Buffer {
    return createHash('sha256').update(text).digest();
  }

  async function newKey(): Promise<{ id: string; accountId: string; secret: Buffer }> {
    const [id, accountId] = [uuidv7(), await newAccount()];
    const secretSha256 = secretOf(id);
    await database.transaction((tx) =>
      keys.create(tx, { id, accountId, name: 'key', secretSha256, scopes: ['jobs:write', 'jobs:read'] }),
    );
    return { id, accountId, secret: secretSha256 };
  }

  it('belongs to one account of a name, however many are made of it at once', async () => {
    const name = `account ${uuidv7()}`;
    const make = () => database.transaction((tx) => keys.createAccount(tx, { id: uuidv7(), name }));
    const ids = new Set(await Promise.all(Array.from({ length: 8 }, make)));
    ids.add(await make());
    expect(ids.size).toBe(1);
    expect(await run('SELECT id FROM accounts WHERE name = $1', [name])).toEqual([{ id: [...ids][0] }]);
  });

  it('is found by its secret and lives until it is revoked (contract 7.2)', async () => {
    const key = await newKey();
    expect(await keys.findBySecret(key.secret)).toEqual({
      keyId: key.id,
      accountId: key.accountId,
      scopes: ['jobs:write', 'jobs:read'],
      rateLimit: null,
    });
    expect(await keys.findBySecret(secretOf('another'))).toBeNull();
    expect(await keys.isLive(key.id)).toBe(true);
    await run('UPDATE api_keys SET revoked_at = now() WHERE id = $1', [key.id]);
    expect(await keys.findBySecret(key.secret)).toBeNull();
    expect(await keys.isLive(key.id)).toBe(false);
    expect(await keys.isLive(uuidv7())).toBe(false);
  });

  it('notes its use at most once a minute', async () => {
    const { id } = await newKey();
    const use = async (): Promise<{ last_used_at: Date; version: string }> => {
      await keys.touch(id);
      const [row] = await run<{ last_used_at: Date; version: string }>(
        'SELECT last_used_at, xmin::text AS version FROM api_keys WHERE id = $1',
        [id],
      );
      return row!;
    };
    const first = await use();
    expect(Date.now() - first.last_used_at.getTime()).toBeLessThan(60_000);
    expect(await use()).toEqual(first);
    await run(`UPDATE api_keys SET last_used_at = now() - interval '61 seconds' WHERE id = $1`, [id]);
    expect((await use()).last_used_at.getTime()).toBeGreaterThanOrEqual(first.last_used_at.getTime());
  });
});
