import { mkdir, mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { pathToFileURL } from 'node:url';
import { type BlobStore, openBlobStore } from '#libs/storage';
import { uuidv7 } from 'uuidv7';
import { findConfinement, missingFrom } from '../../libs/pdf/src/pool/confinement/confinement.js';
import { eventually } from '../support/eventually.js';
import { pageWidths, samplePdf, widthsFrom } from '../support/pdf-samples.js';
import { childrenOf, isRunning } from '../support/processes.js';
import { type SupervisedProcess, Supervisor } from '../support/supervisor.js';
import { JobRecords } from './job-records.js';

const leaseMs = 2_000;
const graceMs = 3_000;
/** One key press reaches a process within this time, whichever ways it takes. */
const moreThanOneKeyMs = 600;
/** So many outputs of a document of so many pages take some seconds. */
const manyPages = 3_000;
const longWork = { by: 'ranges', ranges: Array.from({ length: 150 }, (_, n) => String(n + 1)) };

let records: JobRecords;
let supervisor: Supervisor;
let blobs: BlobStore;
let root: string;
let temporary: string;
let small: string;
let large: string;
let accountId: string;

beforeAll(async () => {
  records = await JobRecords.open();
  root = await mkdtemp(join(tmpdir(), 'pdfonce-worker-'));
  temporary = join(root, 'tmp');
  await mkdir(temporary);
  blobs = await openBlobStore(storageUrl());
  supervisor = new Supervisor();
  accountId = await records.account();
  small = await upload(await samplePdf([100, 101]));
  large = await upload(await samplePdf(widthsFrom(100, manyPages)));
}, 60_000);

afterAll(async () => {
  await supervisor.stopAll();
  await records.close();
  await rm(root, { recursive: true });
}, 60_000);

afterEach(() => supervisor.stopAll());

beforeEach(() => records.run('TRUNCATE jobs CASCADE'));

function storageUrl(): string {
  return pathToFileURL(join(root, 'storage')).href;
}

function environment(changes: Readonly<Record<string, string>> = {}): Record<string, string> {
  return {
    DATABASE_URL: `${records.url}?application_name=victim`,
    STORAGE_URL: storageUrl(),
    SECRET_KEY: `k1:${Buffer.alloc(32, 1).toString('base64')}`,
    JOB_LEASE: `${leaseMs}ms`,
    SHUTDOWN_GRACE: `${graceMs}ms`,
    POLL_INTERVAL: '100ms',
    TMPDIR: temporary,
    ...changes,
  };
}

function startWorker(name: string, changes: Readonly<Record<string, string>> = {}): SupervisedProcess {
  return supervisor.start({ name, entry: resolve('dist/apps/worker/src/main.js'), env: environment(changes) });
}

/** A worker that a document kills: it dies as soon as one of its children is at work. */
function startKilledAtWork(name: string): SupervisedProcess {
  const env = environment({
    ...{ JOB_MAX_ATTEMPTS: '2', FAILPOINT: 'job.at-work:kill' },
    ARMED_ENTRY: resolve('dist/apps/worker/src/main.js'),
  });
  return supervisor.start({ name, entry: resolve('dist/test/support/start-armed.js'), env });
}

async function readyWorker(name: string, changes: Readonly<Record<string, string>> = {}): Promise<SupervisedProcess> {
  const worker = startWorker(name, changes);
  await worker.waitForLog((line) => line.fields?.['msg'] === 'process.ready');
  return worker;
}

async function upload(bytes: Uint8Array): Promise<string> {
  const id = uuidv7();
  const name = `uploads/${id}`;
  await records.objects.register(records.database, { id, accountId, name, purpose: 'upload' });
  await records.objects.complete(records.database, id, await blobs.put(name, inOne(bytes)));
  return id;
}

async function* inOne(bytes: Uint8Array): AsyncGenerator<Uint8Array> {
  yield bytes;
}

function queueLongWork(options: object = longWork): Promise<string> {
  return records.queue({ accountId, operation: 'split', options, inputs: [large] });
}

function isAtWork(id: string, attempt = 1): Promise<unknown> {
  return eventually(
    async () => {
      const job = await records.job(id);
      return job['attempt'] === attempt && Number(job['progress_done']) > 0;
    },
    { withinMs: 15_000, describe: `attempt ${attempt} at work` },
  );
}

function hasEnded(id: string, state: string): Promise<unknown> {
  return eventually(async () => (await records.job(id))['state'] === state, { withinMs: 30_000, describe: state });
}

async function expectOneEnd(id: string): Promise<void> {
  for (const table of ['events', 'usage_records'])
    expect(await records.count(`${table} WHERE job_id = '${id}'`)).toBe(1);
}

async function taskDirectories(): Promise<string[]> {
  const owners = await readdir(temporary);
  return (await Promise.all(owners.map((owner) => readdir(join(temporary, owner))))).flat();
}

describe('a worker', () => {
  it('runs a job to its stored output and leaves nothing behind', async () => {
    await readyWorker('one');
    const id = await records.queue({ accountId, inputs: [small, small] });
    await hasEnded(id, 'completed');
    const [output] = await records.run<{ name: string; size: number; pages: number }>(
      `SELECT objects.name, objects.size, pages FROM job_outputs JOIN objects ON objects.id = object_id WHERE job_outputs.job_id = $1`,
      [id],
    );
    expect(output).toMatchObject({ pages: 4, name: expect.stringMatching(new RegExp(`^${id}/1/`)) });
    const chunks = await (await blobs.get(output?.name ?? '')).toArray();
    const bytes = Buffer.concat(chunks as Buffer[]);
    expect(bytes.length).toBe(output?.size);
    expect(await pageWidths(bytes)).toEqual([100, 101, 100, 101]);
    await expectOneEnd(id);
    await eventually(async () => (await taskDirectories()).length === 0);
  }, 30_000);

  it('tries a job again whose input cannot be read, and gives it up after the last attempt (contract 2.5)', async () => {
    startWorker('one', { JOB_MAX_ATTEMPTS: '2' });
    const missing = uuidv7();
    await records.objects.register(records.database, {
      id: missing,
      accountId,
      name: `uploads/${missing}`,
      purpose: 'upload',
    });
    const id = await records.queue({ accountId, inputs: [missing] });
    await hasEnded(id, 'failed');
    expect(await records.job(id)).toMatchObject({ attempt: 2, error: { code: 'attempts_exhausted', retryable: true } });
  }, 30_000);

  it('stops the work on a job that is cancelled, within two seconds (contract 2.12)', async () => {
    const worker = await readyWorker('one');
    const id = await queueLongWork();
    await isAtWork(id);
    await records.run(
      `UPDATE jobs SET state = 'cancelled', claim = claim + 1, lease_until = NULL, finished_at = now() WHERE id = $1`,
      [id],
    );
    await worker.waitForLog((line) => line.fields?.['end'] === 'lost', { withinMs: 2_000 });
    expect(await taskDirectories()).toEqual([]);
  }, 30_000);

  it('told to end hands long work back without costing an attempt, and ends in time with nothing left (contract 2.5)', async () => {
    const worker = await readyWorker('one');
    const id = await queueLongWork({ by: 'pages' });
    await isAtWork(id);
    const children = await childrenOf(worker.pid);
    const toldAt = performance.now();
    worker.kill('SIGTERM');
    await worker.waitForEnd({ code: 0, signal: null });
    expect(performance.now() - toldAt).toBeLessThan(graceMs);
    expect(await records.job(id)).toMatchObject({ state: 'queued', attempt: 0, claim: 2 });
    expect(children.length).toBeGreaterThan(0);
    expect(await readdir(temporary)).toEqual([]);
  }, 30_000);

  it('told to end twice ends at once, but not by one Ctrl-C that comes by two ways', async () => {
    const worker = await readyWorker('one');
    const id = await queueLongWork({ by: 'pages' });
    await isAtWork(id);
    worker.kill('SIGINT');
    worker.kill('SIGINT');
    await worker.waitForLog((line) => line.fields?.['msg'] === 'process.draining');
    await pause(moreThanOneKeyMs);
    expect(worker.end).toBeUndefined();
    worker.kill('SIGTERM');
    await worker.waitForEnd({ code: 143, signal: null });
    expect(await records.job(id)).toMatchObject({ state: 'processing' });
  }, 30_000);

  it('told to end lets short work finish', async () => {
    const worker = await readyWorker('one', { SHUTDOWN_GRACE: '20s' });
    const ids = await Promise.all([1, 2].map(() => records.queue({ accountId, inputs: [small, small] })));
    await eventually(async () => (await records.count(`jobs WHERE state = 'queued'`)) === 0);
    worker.kill('SIGTERM');
    await worker.waitForEnd({ code: 0, signal: null });
    for (const id of ids) expect(await records.job(id)).toMatchObject({ state: 'completed', attempt: 1 });
  }, 30_000);

  it('that is killed loses its job to another, which completes it once, as attempt 2 (contract 2.5)', async () => {
    const first = await readyWorker('first');
    const id = await queueLongWork();
    await isAtWork(id);
    const children = await childrenOf(first.pid);
    expect(children.length).toBeGreaterThan(0);
    first.kill('SIGKILL');
    await first.exited;
    await eventually(async () => !(await Promise.all(children.map(isRunning))).includes(true), { withinMs: 2_000 });
    await readyWorker('second');
    await hasEnded(id, 'completed');
    expect(await records.job(id)).toMatchObject({ attempt: 2, progress_done: 150 });
    expect(await records.count('job_outputs')).toBe(150);
    await expectOneEnd(id);
    expect((await readdir(temporary)).length).toBe(1);
  }, 60_000);

  it('that every attempt at a document kills fails the job after the last attempt, and never begins another (contract 2.5)', async () => {
    const id = await records.queue({ accountId, inputs: [small] });
    for (const attempt of [1, 2]) {
      const victim = startKilledAtWork(`victim-${attempt}`);
      await victim.waitForEnd({ code: null, signal: 'SIGKILL' });
      expect(await records.job(id)).toMatchObject({ state: 'processing', attempt });
    }
    await readyWorker('survivor', { JOB_MAX_ATTEMPTS: '2' });
    await hasEnded(id, 'failed');
    expect(await records.job(id)).toMatchObject({ attempt: 2, error: { code: 'attempts_exhausted', limit: null } });
  }, 60_000);

  it('that is suspended past its lease drops its result when it wakes up, and the other one counts', async () => {
    const zombie = await readyWorker('zombie');
    const id = await queueLongWork();
    await isAtWork(id);
    zombie.kill('SIGSTOP');
    await readyWorker('second');
    await isAtWork(id, 2);
    zombie.kill('SIGCONT');
    await zombie.waitForLog((line) => line.fields?.['end'] === 'lost', { withinMs: 20_000 });
    await hasEnded(id, 'completed');
    expect(await records.job(id)).toMatchObject({ attempt: 2, claim: 3 });
    const claims = await records.run(
      `SELECT DISTINCT objects.claim FROM job_outputs JOIN objects ON objects.id = object_id WHERE job_outputs.job_id = $1`,
      [id],
    );
    expect(claims).toEqual([{ claim: 3 }]);
    await expectOneEnd(id);
  }, 60_000);

  it('outlives the loss of all its connections, again and again', async () => {
    const worker = await readyWorker('one');
    const ids: string[] = [];
    for (let round = 0; round < 10; round += 1) {
      ids.push(await records.queue({ accountId, inputs: [small, small] }));
      await records.loseConnections('victim');
    }
    for (const id of ids) await hasEnded(id, 'completed');
    for (const id of ids) await expectOneEnd(id);
    expect(worker.end).toBeUndefined();
  }, 60_000);
});

describe('the start of a worker', () => {
  it('is refused with one record for each bad setting', async () => {
    const worker = startWorker('bad', { JOB_LEASE: '1s', JOB_TTL: '1h' });
    await worker.waitForEnd({ code: 1, signal: null });
    const problems = worker.logs.map((line) => String(line.fields?.['problem']).split(' ')[0]);
    expect(problems.sort()).toEqual(['JOB_LEASE', 'JOB_TTL', 'JOB_TTL']);
  }, 30_000);

  it('is refused on another storage than the one of the database', async () => {
    await readyWorker('right');
    const wrong = startWorker('wrong', { STORAGE_URL: pathToFileURL(join(root, 'elsewhere')).href });
    await wrong.waitForEnd({ code: 1, signal: null });
    expect(wrong.logs.at(-1)?.text).toContain('every process must have the same storage');
  }, 30_000);

  it('waits for the database and tells that it is not ready', async () => {
    const worker = startWorker('early', { DATABASE_URL: 'postgres://postgres@127.0.0.1:9/none' });
    const started = await worker.waitForLog((line) => line.fields?.['msg'] === 'process.listening');
    const url = String(started.fields?.['url']);
    await worker.waitForLog((line) => line.fields?.['msg'] === 'database.awaited');
    expect((await fetch(`${url}/healthz`)).status).toBe(200);
    expect((await fetch(`${url}/readyz`)).status).toBe(503);
  }, 30_000);

  it('names on /readyz what the system lacks to shut documents in', async () => {
    const worker = await readyWorker('one');
    const started = await worker.waitForLog((line) => line.fields?.['msg'] === 'process.listening');
    const ready = await fetch(`${String(started.fields?.['url'])}/readyz`);
    expect(ready.status).toBe(200);
    expect(await ready.json()).toMatchObject({ status: 'ready', missing: missingFrom(await findConfinement()) });
  }, 30_000);
});
