import { type InputReference, RequestRefused } from '#libs/contract';
import { typeId, uuidOf } from '#libs/domain';
import type { JobReader, NewJobInput, ReferencedOutput, StoredDocument } from '#libs/persistence';
import type { FindFiles } from './find-files.js';
import { documentName, type FilePart } from '../receive-upload/part.js';

type Place = InputReference & { readonly index: number };

/** Finds the object behind each input of a job: an uploaded part, an uploaded file, or an output of a completed job. */
export class ResolveInputs {
  constructor(
    private readonly files: FindFiles,
    private readonly jobs: JobReader,
  ) {}

  /** @throws RequestRefused `input_not_found`, `input_kind_unavailable`, `invalid_request` */
  async resolve(
    accountId: string,
    references: readonly InputReference[],
    parts: readonly FilePart[],
  ): Promise<readonly NewJobInput[]> {
    const places: readonly Place[] = references.map((reference, index) => ({ ...reference, index }));
    const resolved = new Map<number, NewJobInput>();
    for (const place of places) {
      if ('url' in place) throw kindUnavailable(place.index, 'url', 'inputs by url are not available in this version');
      if ('part' in place) resolved.set(place.index, partInput(place, parts));
    }
    await this.resolveFiles(accountId, places, resolved);
    await this.resolveOutputs(accountId, places, resolved);
    return places.map(({ index }) => resolved.get(index)).filter((input) => input !== undefined);
  }

  private async resolveFiles(
    accountId: string,
    places: readonly Place[],
    resolved: Map<number, NewJobInput>,
  ): Promise<void> {
    const wanted = places.filter((place) => 'file_id' in place);
    if (wanted.length === 0) return;
    const documents = await this.files.find(
      wanted.map((place) => {
        const fileId = uuidOf('file', place.file_id);
        return fileId === null
          ? notFound(place.index, 'file_id', `there is no file ${shown(place.file_id)}`)
          : { accountId, fileId };
      }),
    );
    wanted.forEach((place, position) => {
      const document =
        documents[position] ??
        notFound(place.index, 'file_id', `there is no file ${shown(place.file_id)}, or it has expired`);
      resolved.set(place.index, { ...document, source: null });
    });
  }

  private async resolveOutputs(
    accountId: string,
    places: readonly Place[],
    resolved: Map<number, NewJobInput>,
  ): Promise<void> {
    const wanted = places.filter((place) => 'job_id' in place);
    if (wanted.length === 0) return;
    const references = wanted.map((place) => ({
      jobId: uuidOf('job', place.job_id) ?? notFound(place.index, 'job_id', `there is no job ${shown(place.job_id)}`),
      index: place.output,
    }));
    const outputs = await this.jobs.findJobOutputs(accountId, references);
    references.forEach((source, position) => {
      const place = wanted[position];
      if (place === undefined) return;
      resolved.set(place.index, {
        ...documentOf(outputs[position], source, place.index),
        source: { jobId: source.jobId, output: source.index },
      });
    });
  }
}

function documentOf(
  output: ReferencedOutput | undefined,
  source: { readonly jobId: string; readonly index: number },
  index: number,
): StoredDocument {
  const job = typeId('job', source.jobId);
  if (output === undefined || output.state === null) return notFound(index, 'job_id', `there is no job ${job}`);
  if (output.state !== 'completed')
    throw kindUnavailable(index, 'job_id', `the job ${job} is ${output.state}, not completed`);
  return (
    output.document ?? notFound(index, 'output', `the job ${job} has no output ${source.index}, or it has expired`)
  );
}

function partInput(place: { readonly part: number; readonly index: number }, parts: readonly FilePart[]): NewJobInput {
  const part = parts[place.part];
  const pointer = `/inputs/${place.index}/part`;
  if (part === undefined)
    throw invalid(pointer, `there is no part ${place.part}: the request has ${parts.length} file(s)`);
  if (part.upload.sizeBytes === 0) throw invalid(`/files/${place.part}`, `the file ${shown(part.fileName)} is empty`);
  const { objectId, sizeBytes, sha256 } = part.upload;
  return { objectId, name: documentName(part.fileName), mediaType: part.mediaType, sizeBytes, sha256, source: null };
}

function notFound(index: number, field: string, detail: string): never {
  throw new RequestRefused('input_not_found', detail, { errors: [{ pointer: `/inputs/${index}/${field}`, detail }] });
}

function kindUnavailable(index: number, field: string, detail: string): RequestRefused {
  return new RequestRefused('input_kind_unavailable', detail, {
    errors: [{ pointer: `/inputs/${index}/${field}`, detail }],
  });
}

function invalid(pointer: string, detail: string): RequestRefused {
  return new RequestRefused('invalid_request', `${pointer}: ${detail}`, { errors: [{ pointer, detail }] });
}

function shown(text: string): string {
  return text.slice(0, 100);
}
