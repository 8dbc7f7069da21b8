import { randomBytes } from 'node:crypto';
import { type InputReference, RequestRefused } from '#libs/contract';
import { AddressAllowList, AddressGuard, type JobState, SecretKeyring, typeId } from '#libs/domain';
import type { JobReader, NewJobInput, ReferencedOutput } from '#libs/persistence';
import type { FilePart } from '../receive-upload/part.js';
import { FindFiles } from '../upload-file/find-files.js';
import { ResolveInputs } from './resolve-inputs.js';

const uuid = '01890a5d-ac96-774b-bcce-b302099a8057';
const keyring = SecretKeyring.parse(`k1:${Buffer.alloc(32, 1).toString('base64')}`, randomBytes);
const fileId = typeId('file', uuid);
const jobId = typeId('job', uuid);
const noFiles = { findUsable: async (references: readonly object[]) => references.map(() => null) };
const document = { objectId: 'object', name: 'merged.pdf', mediaType: 'application/pdf', sizeBytes: 3, sha256: '00' };

/** Every output that is asked for is that of one job. */
function inputsWith(output: ReferencedOutput): ResolveInputs {
  const jobs = { findJobOutputs: async (_: string, references: readonly object[]) => references.map(() => output) };
  const guard = new AddressGuard(AddressAllowList.parse(['10.0.0.0/8']));
  return new ResolveInputs(new FindFiles(noFiles, () => 0), jobs as unknown as JobReader, guard, keyring);
}

const nothing: ReferencedOutput = { state: null, document: null };

function resolve(
  references: readonly InputReference[],
  parts: readonly FilePart[] = [],
  output = nothing,
): Promise<readonly NewJobInput[]> {
  const places = references.map((reference, index) => ({ ...reference, pointer: `/inputs/${index}` }));
  return inputsWith(output).resolve('account', places, parts);
}

function part(fileName: string, sizeBytes = 3): FilePart {
  const upload = { objectId: fileName, sizeBytes, sha256: '00' };
  return { kind: 'file', field: 'files', fileName, mediaType: 'application/pdf', upload };
}

async function refusalOf(work: Promise<unknown>): Promise<RequestRefused> {
  const error = await work.catch((reason: unknown) => reason);
  if (error instanceof RequestRefused) return error;
  throw new Error('it was not refused', { cause: error });
}

describe('the inputs of a job', () => {
  it('are the parts that they name, in that order', async () => {
    const resolved = await resolve([{ part: 1 }, { part: 0 }], [part('a.pdf'), part('b.pdf')]);
    expect(resolved.map((input) => input.document?.name)).toEqual(['b.pdf', 'a.pdf']);
  });

  it('name every file that was sent: one that none names is refused', async () => {
    const refusal = await refusalOf(resolve([{ part: 0 }], [part('a.pdf'), part('b.pdf')]));
    expect(refusal.code).toBe('invalid_request');
    expect(refusal.detail).toBe('/files/1: no entry of inputs names the file b.pdf');
  });

  it('that are at fault are all named, under the code of the first', async () => {
    const references = [{ file_id: fileId }, { part: 0 }, { job_id: fileId, output: 0 }, { url: 'ftp://a.example' }];
    const refusal = await refusalOf(resolve(references, [part('a.pdf', 0)]));
    expect(refusal.code).toBe('input_not_found');
    expect(refusal.extra.errors?.map(({ pointer }) => pointer)).toEqual([
      '/inputs/0/file_id',
      '/files/0',
      '/inputs/2/job_id',
      '/inputs/3/url',
    ]);
  });

  it('with an id of another kind say of what it is the id', async () => {
    const refusal = await refusalOf(resolve([{ job_id: fileId, output: 0 }]));
    expect(refusal.detail).toBe(`/inputs/0/job_id: ${fileId} is the id of a file; the id of a job begins with job_`);
  });
});

describe('what goes with an input', () => {
  it('stays with it, whatever its form, and its password is sealed (contract 4.1)', async () => {
    const password = 'open sesame';
    const references = [
      { part: 0, pages: '1-3,-1', password },
      { url: 'https://a.example/', password },
      { job_id: jobId, output: 0, pages: '2' },
      { part: 1 },
    ];
    const output: ReferencedOutput = { state: 'queued', document: null };
    const inputs = await resolve(references, [part('a.pdf'), part('b.pdf')], output);
    expect(inputs.map(({ pages }) => pages)).toEqual(['1-3,-1', undefined, '2', undefined]);
    expect(JSON.stringify(inputs)).not.toContain(password);
    const opened = inputs.map(({ sealedPassword: sealed }) => (sealed === undefined ? null : keyring.open(sealed)));
    expect(opened).toEqual([password, password, null, null]);
  });
});

describe('an input by url', () => {
  it.each([
    'https://a.example/one.pdf',
    'https://8.8.8.8/one.pdf',
    'http://10.1.2.3/one.pdf',
    'http://maybe-listed.example/',
  ])('is left to be fetched by the worker: %s (contract 2.1)', async (url) => {
    expect(await resolve([{ url }])).toEqual([{ document: null, source: null, url }]);
  });

  it.each([
    ['ftp://a.example/', 'must begin with https://'],
    ['http://8.8.8.8/', 'http is only for hosts that INPUT_ALLOW names'],
    ['https://[::1]:5432/', 'is not public (loopback); INPUT_ALLOW can name it'],
    ['https://127.1/', 'is not public (loopback)'],
    ['https://[::ffff:192.168.0.1]/', 'is not public (ipv4_mapped)'],
    ['https://169.254.169.254/latest/meta-data/', 'hands out credentials'],
    ['https://a.example:22/', 'a port that belongs to another protocol'],
    ['https://a..example/', 'must be an absolute URL'],
  ])('is refused by what it says of itself: %s %s (contract 2.1, 4.9)', async (url, sentence) => {
    const refusal = await refusalOf(resolve([{ url }]));
    expect(refusal.code).toBe('invalid_request');
    expect(refusal.extra.errors).toEqual([{ pointer: '/inputs/0/url', detail: expect.stringContaining(sentence) }]);
  });
});

describe('an input that is the output of a job', () => {
  const source = { jobId: uuid, output: 2 };
  const reference = { job_id: jobId, output: 2 };

  it.each<JobState>(['queued', 'processing'])(
    'is left to be found later while the job is %s (contract 2.8)',
    async (state) => {
      expect(await resolve([reference], [], { state, document: null })).toEqual([{ document: null, source }]);
    },
  );

  it('is its document once the job has completed, and keeps where it came from (contract 2.8)', async () => {
    expect(await resolve([reference], [], { state: 'completed', document })).toEqual([{ document, source }]);
  });

  it.each<[string, ReferencedOutput, string, string]>([
    ['is unknown', nothing, '/inputs/0/job_id', `there is no job ${jobId}`],
    ['has failed', { state: 'failed', document: null }, '/inputs/0/job_id', `the job ${jobId} has failed`],
    ['was cancelled', { state: 'cancelled', document: null }, '/inputs/0/job_id', `has been cancelled`],
    ['has no such output', { state: 'completed', document: null }, '/inputs/0/output', `has no output 2`],
  ])('is not found when the job %s (contract 6.1)', async (_, output, pointer, sentence) => {
    const refusal = await refusalOf(resolve([reference], [], output));
    expect(refusal.code).toBe('input_not_found');
    expect(refusal.extra.errors).toEqual([{ pointer, detail: expect.stringContaining(sentence) }]);
  });
});
