import { jobSubmittedCommand } from '#libs/domain';
import { endsWithin } from '#libs/pace';
import {
  AdmissionStore,
  brokenConstraint,
  Database,
  type IdempotencyRecord,
  isKeyLocked,
  isLockTimeout,
  isUnavailable,
  type NewJob,
  type NewJobInput,
  statement,
} from '#libs/persistence';
import { uuidv7 } from 'uuidv7';
import { AdmitTogether } from '../../apps/api/src/admit-job/admit-together.js';
import { eventually } from '../support/eventually.js';
import { JobRecords } from '../worker/job-records.js';

const route = 'POST /v1/jobs';
/** Of the sessions of admission. */
const lockTimeoutMs = 2_000;
/** Of a pool of ten. */
const mostWaiting = 5;
const commands = { topic: 'pdfonce.jobs.v1', state: 'pending' } as const;

let records: JobRecords;
let database: Database;
let store: AdmissionStore;
let accountId: string;
let apiKeyId: string;
let objectId: string;

beforeAll(async () => {
  records = await JobRecords.open();
  database = new Database({ url: records.url, purpose: 'admission', poolSize: 10 });
  store = new AdmissionStore(database, commands);
}, 60_000);

afterAll(async () => {
  await database.close();
  await records.close();
}, 60_000);

beforeEach(async () => {
  await records.clear();
  accountId = await records.account();
  apiKeyId = await records.apiKey(accountId);
  objectId = await records.object(accountId);
});

function documentOf(object: string): NewJobInput {
  const document = { objectId: object, name: 'ä "1".pdf', mediaType: 'application/pdf', sizeBytes: 2 ** 40 };
  return { document: { ...document, sha256: 'ab'.repeat(32) }, source: null };
}

function newJob(idempotencyKey: string | null, inputs: readonly NewJobInput[] = [documentOf(objectId)]): NewJob {
  const id = uuidv7();
  const createdAt = new Date('2026-01-02T03:04:05.678Z');
  return {
    ...{ id, accountId, operation: 'split', idempotencyKey, createdAt, inputs },
    ...{ options: { by: 'ranges', ranges: ['1-3'] }, metadata: { 'order\\': '42 "ü"' } },
    progress: { done: 0, total: 3, unit: 'pages' },
    command: jobSubmittedCommand(uuidv7(), id, 'split', createdAt),
  };
}

function recordOf({ id, idempotencyKey }: NewJob): IdempotencyRecord | null {
  if (idempotencyKey === null) return null;
  const body = JSON.stringify({ id, note: 'ü\n\\' });
  const answer = { status: 202, location: `/v1/jobs/${id}`, contentType: 'application/json; charset=utf-8', body };
  return { accountId, route, key: idempotencyKey, fingerprint: 'v1:0', answer, isSealed: false };
}

const asked = (job: NewJob, apiKey = apiKeyId) => ({ apiKeyId: apiKey, job, record: recordOf(job) });

function admit(together: AdmitTogether, job: NewJob) {
  const record = recordOf(job);
  return together.admit(apiKeyId, job, record && { record, mode: 'insert' });
}

/** All that is written for a job, without its ids. */
async function writtenFor({ id, command }: NewJob): Promise<string> {
  const [row] = await records.run<{ written: string }>(
    `SELECT concat_ws(E'\\n', job, key, convert_from(key.body, 'UTF8'),
       (SELECT string_agg(input::text, E'\\n' ORDER BY index) FROM job_inputs AS input WHERE job_id = job.id),
       (SELECT concat_ws(',', topic, key, event_id, type, body, occurred_at, state) FROM outbox WHERE event_id = $2)) AS written
     FROM jobs AS job LEFT JOIN idempotency_keys AS key ON key.job_id = job.id WHERE id = $1`,
    [id, command.id],
  );
  return `${row?.written}`
    .replaceAll(/job_[0-9a-z]{26}|evt_[0-9a-z]{26}|[0-9a-f]{8}-[-0-9a-f]{27}/g, 'ID')
    .replaceAll(/\\\\x[0-9a-f]+/g, 'BYTES')
    .replaceAll(/"2[0-9-]+ [0-9:.]+\+00"/g, 'TIME')
    .replaceAll(/together|alone/g, 'KEY');
}

describe('jobs that are admitted together', () => {
  const inputs = (): readonly NewJobInput[] => [
    { ...documentOf(objectId), pages: '1-3,r1' },
    { document: null, source: null, url: 'https://pdf.example/a.pdf?x="1"', sealedPassword: 'k1:sealed' },
  ];

  it.each(['with', 'without'])('are written as each would be alone, %s a key', async (withKey) => {
    const isKeyed = withKey === 'with';
    const [alone, one, other] = ['alone', 'together', null].map((key) => newJob(isKeyed ? key : null, inputs()));
    if (alone === undefined || one === undefined || other === undefined) throw new Error('there are three jobs');
    const record = recordOf(alone);
    await store.admitJob(apiKeyId, alone, record && { record, mode: 'insert' });
    await store.admitJobs([asked(one), asked(other)]);
    expect(await writtenFor(one)).toBe(await writtenFor(alone));
    expect(await writtenFor(one)).toContain('1-3,r1');
  });

  it('are each admitted or not by their own API key and idempotency key, in the order in which they came (contract 1.4, 7.2)', async () => {
    const revoked = await records.apiKey(accountId);
    await records.run('UPDATE api_keys SET revoked_at = now() WHERE id = $1', [revoked]);
    await store.admitJobs([asked(newJob('taken'))]);
    const admissions = await store.admitJobs([
      asked(newJob('z')),
      asked(newJob('taken')),
      asked(newJob('theirs'), revoked),
      asked(newJob(null)),
      asked(newJob('a')),
      asked(newJob('a')),
    ]);
    const kinds = admissions.map(({ kind }) => kind);
    expect(kinds.slice(0, 4)).toEqual(['admitted', 'held', 'unauthorized', 'admitted']);
    expect(kinds.slice(4).sort()).toEqual(['admitted', 'held']);
    for (const table of ['jobs', 'job_inputs', 'outbox']) expect(await records.count(table)).toBe(4);
    const keys = await records.run<{ key: string }>('SELECT key FROM idempotency_keys ORDER BY key');
    expect(keys.map(({ key }) => key)).toEqual(['a', 'taken', 'z']);
  });

  it('take their keys in one order, whoever came first', async () => {
    await store.admitJobs(['m', 'z', 'a'].map((key) => asked(newJob(key))));
    const keys = await records.run<{ key: string }>('SELECT key FROM idempotency_keys ORDER BY ctid');
    expect(keys.map(({ key }) => key)).toEqual(['a', 'm', 'z']);
  });
});

describe('an API process', () => {
  it('admits in one transaction what comes at the same moment', async () => {
    const together = new AdmitTogether(store, mostWaiting);
    const admissions = await Promise.all(['a', 'b', null].map((key) => admit(together, newJob(key))));
    expect(admissions.map(({ kind }) => kind)).toEqual(['admitted', 'admitted', 'admitted']);
    expect(await records.run('SELECT DISTINCT xmin FROM jobs')).toHaveLength(1);
  });

  it('refuses a job whose input was collected, and none that came with it (contract 2.2)', async () => {
    const together = new AdmitTogether(store, mostWaiting);
    const lost = newJob('lost', [documentOf(uuidv7())]);
    const [spoilt, ...others] = await Promise.allSettled(
      [lost, newJob('b'), newJob('c')].map((job) => admit(together, job)),
    );
    expect(spoilt?.status === 'rejected' && brokenConstraint(spoilt.reason)).toBe('job_inputs_object_exists');
    expect(others).toMatchObject([{ value: { kind: 'admitted' } }, { value: { kind: 'admitted' } }]);
    expect(await records.count('idempotency_keys')).toBe(2);
  });

  it('lets nobody wait for long for the key of another that came with him (contract 1.4)', async () => {
    const together = new AdmitTogether(store, mostWaiting);
    const held = await records.hold((tx) => new AdmissionStore(tx, commands).admitJobs([asked(newJob('a'))]));
    const waits = admit(together, newJob('a'));
    expect(await endsWithin(admit(together, newJob('b')), lockTimeoutMs - 500)).toBe(true);
    await eventually(async () => (await records.waitingForLocks()) === 1, { withinMs: 5_000 });
    await held.rollback();
    expect(await waits).toMatchObject({ kind: 'admitted' });
    expect(await records.count('jobs')).toBe(2);
  });

  it('refuses a job for its own key only, however long they had waited for a connection before (contract 1.4, 1.8)', async () => {
    const held = await records.hold((tx) => new AdmissionStore(tx, commands).admitJobs([asked(newJob('a'))]));
    const busy = new Database({ url: records.url, purpose: 'admission', poolSize: 1 });
    let free: () => void = () => undefined;
    const isFree = new Promise<void>((resolve) => (free = resolve));
    const using = busy.transaction(() => isFree);
    const together = new AdmitTogether(new AdmissionStore(busy, commands), mostWaiting);
    const outcomes = Promise.allSettled(['a', 'b', 'c'].map((key) => admit(together, newJob(key))));
    free();
    await using;
    const [ofHeld, ...others] = await outcomes;
    expect(ofHeld?.status === 'rejected' && isKeyLocked(ofHeld.reason)).toBe(true);
    expect(others).toMatchObject([{ value: { kind: 'admitted' } }, { value: { kind: 'admitted' } }]);
    await held.rollback();
    await busy.close();
  });

  it('keeps connections for others however many keys are held (contract 1.8)', async () => {
    const keys = Array.from({ length: 12 }, (_, index) => `held-${index}`);
    const held = await records.hold((tx) =>
      new AdmissionStore(tx, commands).admitJobs(keys.map((key) => asked(newJob(key)))),
    );
    const together = new AdmitTogether(store, mostWaiting);
    let refused = 0;
    const outcomes = keys.map((key) => admit(together, newJob(key)));
    for (const outcome of outcomes) outcome.catch(() => (refused += 1));
    await eventually(() => refused === keys.length - mostWaiting, { withinMs: 5_000 });
    expect(await admit(together, newJob('free'))).toMatchObject({ kind: 'admitted' });
    await held.rollback();
    const admitted = (await Promise.allSettled(outcomes)).filter(({ status }) => status === 'fulfilled');
    expect(admitted).toHaveLength(mostWaiting);
  });

  it('repeats for nobody a statement whose answer was lost (contract 1.4)', async () => {
    const together = new AdmitTogether(store, mostWaiting);
    const locked = await records.hold((tx) => tx.query(statement('lock-jobs', 'LOCK TABLE jobs IN SHARE MODE')));
    const lost = Promise.allSettled(['a', null].map((key) => admit(together, newJob(key))));
    await eventually(async () => (await records.waitingForLocks()) === 1, { withinMs: 5_000 });
    await records.loseConnections('pdfonce admission');
    await locked.rollback();
    for (const each of await lost) expect(each.status === 'rejected' && isUnavailable(each.reason)).toBe(true);
    expect(await records.count('jobs')).toBe(0);
  });

  it('lets nobody wait a second time for a table that somebody has locked (contract 1.8)', async () => {
    const together = new AdmitTogether(store, mostWaiting);
    const locked = await records.hold((tx) => tx.query(statement('lock-jobs', 'LOCK TABLE jobs IN SHARE MODE')));
    const refused = Promise.allSettled(['a', 'b'].map((key) => admit(together, newJob(key))));
    expect(await endsWithin(refused, 1.8 * lockTimeoutMs)).toBe(true);
    for (const each of await refused) expect(each.status === 'rejected' && isLockTimeout(each.reason)).toBe(true);
    await locked.rollback();
    expect(await admit(together, newJob('a'))).toMatchObject({ kind: 'admitted' });
  });
});
