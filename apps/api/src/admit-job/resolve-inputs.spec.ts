import { RequestRefused } from '#libs/contract';
import { typeId } from '#libs/domain';
import type { FileStore, JobReader } from '#libs/persistence';
import type { FilePart } from '../receive-upload/part.js';
import { FindFiles } from './find-files.js';
import { ResolveInputs } from './resolve-inputs.js';

const fileId = typeId('file', '01890a5d-ac96-774b-bcce-b302099a8057');
const noFiles = { findUsable: async (references: readonly object[]) => references.map(() => null) };
const noJobs = { findJobOutputs: async (_: string, references: readonly object[]) => references.map(none) };
const inputs = new ResolveInputs(new FindFiles(noFiles as unknown as FileStore), noJobs as unknown as JobReader);

function none() {
  return { state: null, document: null };
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
    const resolved = await inputs.resolve('a', [{ part: 1 }, { part: 0 }], [part('a.pdf'), part('b.pdf')]);
    expect(resolved.map(({ name }) => name)).toEqual(['b.pdf', 'a.pdf']);
  });

  it('name every file that was sent: one that none names is refused', async () => {
    const refusal = await refusalOf(inputs.resolve('a', [{ part: 0 }], [part('a.pdf'), part('b.pdf')]));
    expect(refusal.code).toBe('invalid_request');
    expect(refusal.detail).toBe('/files/1: no entry of inputs names the file b.pdf');
  });

  it('that are at fault are all named, under the code of the first', async () => {
    const references = [{ file_id: fileId }, { part: 0 }, { job_id: fileId, output: 0 }, { url: 'https://a.example' }];
    const refusal = await refusalOf(inputs.resolve('a', references, [part('a.pdf', 0)]));
    expect(refusal.code).toBe('input_not_found');
    expect(refusal.extra.errors?.map(({ pointer }) => pointer)).toEqual([
      '/inputs/0/file_id',
      '/files/0',
      '/inputs/2/job_id',
      '/inputs/3/url',
    ]);
  });

  it('with an id of another kind say of what it is the id', async () => {
    const refusal = await refusalOf(inputs.resolve('a', [{ job_id: fileId, output: 0 }], []));
    expect(refusal.detail).toBe(`/inputs/0/job_id: ${fileId} is the id of a file; the id of a job begins with job_`);
  });
});
