import { jobSubmittedCommand } from '#libs/domain';
import {
  brokenConstraint,
  FileStore,
  GarbageStore,
  AdmissionStore,
  type NewJob,
  type Queryable,
  type StoredDocument,
} from '#libs/persistence';
import { uuidv7 } from 'uuidv7';
import { JobRecords } from '../worker/job-records.js';

const uploadAgeMs = 60_000;

let records: JobRecords;
let files: FileStore;
let garbage: GarbageStore;

beforeAll(async () => {
  records = await JobRecords.open();
  files = new FileStore(records.database);
  garbage = new GarbageStore(records.database);
}, 60_000);

afterAll(() => records.close(), 60_000);

beforeEach(() => records.clear());

/** A file whose object is old enough to be garbage once nothing refers to it. */
async function newFile(): Promise<{ accountId: string; fileId: string; objectId: string }> {
  const accountId = await records.account();
  const objectId = await records.object(accountId, { ageMs: 2 * uploadAgeMs });
  const fileId = uuidv7();
  const createdAt = new Date();
  const content = { name: 'a.pdf', mediaType: 'application/pdf', sizeBytes: 7, sha256: 'cd'.repeat(32) };
  await records.database.transaction((tx) =>
    files.insert(tx, {
      id: fileId,
      accountId,
      objectId,
      ...content,
      createdAt,
      expiresAt: new Date(Date.now() + 60_000),
    }),
  );
  return { accountId, fileId, objectId };
}

function jobOf(accountId: string, document: StoredDocument): NewJob {
  const [id, createdAt] = [uuidv7(), new Date()];
  return {
    ...{ id, accountId, operation: 'merge', options: {}, metadata: {}, idempotencyKey: null, createdAt },
    progress: { done: 0, total: 1, unit: 'inputs' },
    inputs: [{ document, source: null }],
    command: jobSubmittedCommand(uuidv7(), id, 'merge', createdAt),
  };
}

const admissions = (database: Queryable) => new AdmissionStore(database, { topic: 'jobs', state: 'local' });

/** What an admission has looked up before it writes: the document, the API key. */
async function looked() {
  const file = await newFile();
  const [document] = await files.findUsable([file]);
  if (document == null) throw new Error('the file is not usable');
  return { ...file, job: jobOf(file.accountId, document), apiKeyId: await records.apiKey(file.accountId) };
}

async function collected(): Promise<number> {
  return (await garbage.collect(null, 100, uploadAgeMs)).removed;
}

describe('a deleted file', () => {
  it('is found, usable and deleted by nobody then, and its object is garbage', async () => {
    const { accountId, fileId } = await newFile();
    expect(await collected()).toBe(0);
    expect(await files.delete(accountId, fileId)).toBe(true);
    expect(await files.find(accountId, fileId)).toBeNull();
    expect(await files.findUsable([{ accountId, fileId }])).toEqual([null]);
    expect(await files.delete(accountId, fileId)).toBe(false);
    expect(await collected()).toBe(1);
  });

  it('is deleted by its account alone', async () => {
    const { accountId, fileId } = await newFile();
    expect(await files.delete(await records.account(), fileId)).toBe(false);
    expect(await files.find(accountId, fileId)).not.toBeNull();
  });

  it('leaves a job that was accepted before what it needs (contract 2.3)', async () => {
    const { accountId, fileId, objectId } = await newFile();
    const jobId = await records.queue({ accountId, inputs: [objectId] });
    await files.delete(accountId, fileId);
    expect(await collected()).toBe(0);
    expect(await records.claimOne()).toMatchObject({ jobId, inputs: [{ objectName: `uploads/${objectId}` }] });
  });

  it('between the look of an admission and its statement leaves the job what it needs (contract 2.3)', async () => {
    const { accountId, fileId, objectId, job, apiKeyId } = await looked();
    await files.delete(accountId, fileId);
    expect((await admissions(records.database).admitJob(apiKeyId, job, null)).kind).toBe('admitted');
    expect(await collected()).toBe(0);
    expect(await records.objectIds()).toEqual([objectId]);
  });

  it('between the statement of an admission and its commit is held for it against the collector (contract 2.2)', async () => {
    const { accountId, fileId, objectId, job, apiKeyId } = await looked();
    await records.database.transaction(async (tx) => {
      expect((await admissions(tx).admitJob(apiKeyId, job, null)).kind).toBe('admitted');
      expect(await files.delete(accountId, fileId)).toBe(true);
      expect(await collected()).toBe(0);
    });
    expect(await collected()).toBe(0);
    expect(await records.objectIds()).toEqual([objectId]);
  });

  it('whose object was collected before the statement of an admission breaks it, and nothing is accepted (contract 2.2)', async () => {
    const { accountId, fileId, job, apiKeyId } = await looked();
    await files.delete(accountId, fileId);
    expect(await collected()).toBe(1);
    const error = await admissions(records.database)
      .admitJob(apiKeyId, job, null)
      .catch((reason: unknown) => reason);
    expect(brokenConstraint(error)).toBe('job_inputs_object_exists');
    expect(await records.run('SELECT FROM jobs')).toEqual([]);
  });
});
