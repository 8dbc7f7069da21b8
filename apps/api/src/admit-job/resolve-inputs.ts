import { type FieldProblem, type InputReference, refusedFor, type RequestErrorCode } from '#libs/contract';
import { typeId, uuidOf } from '#libs/domain';
import type { JobReader, NewJobInput, ReferencedOutput, StoredDocument } from '#libs/persistence';
import { wrongIdSentence } from '../http/id-kinds.js';
import { documentName, type FilePart } from '../receive-upload/part.js';
import type { FindFiles } from './find-files.js';

/** What is wrong with one input, and the code that says of what kind that is. */
class InputProblem {
  constructor(
    readonly code: RequestErrorCode,
    readonly problem: FieldProblem,
  ) {}
}

type Place = InputReference & { readonly index: number };
type Resolved = NewJobInput | InputProblem;

/** Finds the object behind each input of a job: an uploaded part, an uploaded file, or an output of a completed job. */
export class ResolveInputs {
  constructor(
    private readonly files: FindFiles,
    private readonly jobs: JobReader,
  ) {}

  /**
   * @throws RequestRefused `invalid_request`, `input_not_found`, `input_kind_unavailable`: the code of the first input at fault, with all of
   *   them in its errors
   */
  async resolve(
    accountId: string,
    references: readonly InputReference[],
    parts: readonly FilePart[],
  ): Promise<readonly NewJobInput[]> {
    const places: readonly Place[] = references.map((reference, index) => ({ ...reference, index }));
    const resolved = new Map<number, Resolved>();
    for (const place of places) {
      if ('url' in place) resolved.set(place.index, urlInput(place.index));
      if ('part' in place) resolved.set(place.index, partInput(place, parts));
    }
    await this.resolveFiles(accountId, places, resolved);
    await this.resolveOutputs(accountId, places, resolved);
    const all = places.map(({ index }) => resolved.get(index)).filter((input) => input !== undefined);
    return withoutProblems([...all, ...unnamedParts(references, parts)]);
  }

  private async resolveFiles(
    accountId: string,
    places: readonly Place[],
    resolved: Map<number, Resolved>,
  ): Promise<void> {
    const wanted: { readonly place: { readonly index: number; readonly file_id: string }; readonly fileId: string }[] =
      [];
    for (const place of places) {
      if (!('file_id' in place)) continue;
      const fileId = uuidOf('file', place.file_id);
      if (fileId === null) resolved.set(place.index, wrongId('file', place.index, place.file_id));
      else wanted.push({ place, fileId });
    }
    if (wanted.length === 0) return;
    const documents = await this.files.find(wanted.map(({ fileId }) => ({ accountId, fileId })));
    wanted.forEach(({ place: { index, file_id } }, position) => {
      const document = documents[position] ?? null;
      const missing = () => notFound(index, 'file_id', `there is no file ${file_id}, or it has expired`);
      resolved.set(index, document === null ? missing() : { ...document, source: null });
    });
  }

  private async resolveOutputs(
    accountId: string,
    places: readonly Place[],
    resolved: Map<number, Resolved>,
  ): Promise<void> {
    const wanted: { readonly place: number; readonly source: { readonly jobId: string; readonly output: number } }[] =
      [];
    for (const place of places) {
      if (!('job_id' in place)) continue;
      const jobId = uuidOf('job', place.job_id);
      if (jobId === null) resolved.set(place.index, wrongId('job', place.index, place.job_id));
      else wanted.push({ place: place.index, source: { jobId, output: place.output } });
    }
    if (wanted.length === 0) return;
    const references = wanted.map(({ source }) => ({ jobId: source.jobId, index: source.output }));
    const outputs = await this.jobs.findJobOutputs(accountId, references);
    wanted.forEach(({ place, source }, position) => {
      const document = documentOf(outputs[position], source, place);
      resolved.set(place, document instanceof InputProblem ? document : { ...document, source });
    });
  }
}

function withoutProblems(all: readonly Resolved[]): readonly NewJobInput[] {
  const problems = all.filter((input) => input instanceof InputProblem);
  const [first] = problems;
  if (first === undefined) return all.filter((input): input is NewJobInput => !(input instanceof InputProblem));
  throw refusedFor(
    first.code,
    problems.map(({ problem }) => problem),
  );
}

function documentOf(
  output: ReferencedOutput | undefined,
  source: { readonly jobId: string; readonly output: number },
  index: number,
): StoredDocument | InputProblem {
  const job = typeId('job', source.jobId);
  if (output === undefined || output.state === null) return notFound(index, 'job_id', `there is no job ${job}`);
  if (output.state !== 'completed')
    return kindUnavailable(index, 'job_id', `the job ${job} is ${output.state}, not completed`);
  return (
    output.document ?? notFound(index, 'output', `the job ${job} has no output ${source.output}, or it has expired`)
  );
}

function partInput(place: { readonly part: number; readonly index: number }, parts: readonly FilePart[]): Resolved {
  const part = parts[place.part];
  if (part === undefined)
    return invalid(`/inputs/${place.index}/part`, `there is no part ${place.part}, of ${parts.length} files`);
  if (part.upload.sizeBytes === 0) return invalid(`/files/${place.part}`, `the file ${shown(part)} is empty`);
  const { objectId, sizeBytes, sha256 } = part.upload;
  return { objectId, name: documentName(part.fileName), mediaType: part.mediaType, sizeBytes, sha256, source: null };
}

/** A file that was sent for nothing is more likely a mistake than meant. */
function unnamedParts(references: readonly InputReference[], parts: readonly FilePart[]): readonly InputProblem[] {
  const named = new Set(references.map((reference) => ('part' in reference ? reference.part : null)));
  return parts.flatMap((part, index) =>
    named.has(index) ? [] : [invalid(`/files/${index}`, `no entry of inputs names the file ${shown(part)}`)],
  );
}

function urlInput(index: number): InputProblem {
  return kindUnavailable(index, 'url', 'inputs by url are not available in this version');
}

function wrongId(prefix: 'file' | 'job', index: number, id: string): InputProblem {
  return notFound(index, `${prefix}_id`, wrongIdSentence(prefix, id));
}

function notFound(index: number, field: string, detail: string): InputProblem {
  return new InputProblem('input_not_found', { pointer: `/inputs/${index}/${field}`, detail });
}

function kindUnavailable(index: number, field: string, detail: string): InputProblem {
  return new InputProblem('input_kind_unavailable', { pointer: `/inputs/${index}/${field}`, detail });
}

function invalid(pointer: string, detail: string): InputProblem {
  return new InputProblem('invalid_request', { pointer, detail });
}

function shown(part: FilePart): string {
  return documentName(part.fileName).slice(0, 100);
}
