import { type FieldProblem, type InputReference, refusedFor, type RequestErrorCode } from '#libs/contract';
import { type AddressGuard, documentName, type SecretKeyring, typeId, uuidOf } from '#libs/domain';
import { refusalSentence } from '#libs/egress';
import type { JobReader, NewJobInput, NewJobSource, ReferencedOutput } from '#libs/persistence';
import { wrongIdSentence } from '../http/id-kinds.js';
import type { FilePart } from '../receive-upload/part.js';
import type { FindFiles } from '../upload-file/find-files.js';

/** What is wrong with one input, and the code that says of what kind that is. */
class InputProblem {
  constructor(
    readonly code: RequestErrorCode,
    readonly problem: FieldProblem,
  ) {}
}

/** A reference to an input, and the JSON pointer to it in the body. */
export type InputPlace = InputReference & { readonly pointer: string };

type Resolved = NewJobInput | InputProblem;
type Place<Field extends string> = Extract<InputPlace, Readonly<Record<Field, unknown>>>;

/**
 * Finds the object behind each input of a request: an uploaded part, an uploaded file, or an output of an earlier job. The output of a job
 * that has not ended is left to be found when it has, and a URL to be fetched by the worker. A password is sealed.
 */
export class ResolveInputs {
  constructor(
    private readonly files: FindFiles,
    private readonly jobs: JobReader,
    private readonly guard: AddressGuard,
    private readonly keyring: SecretKeyring,
  ) {}

  /**
   * @returns one input for each place, in that order
   * @throws RequestRefused `invalid_request`, `input_not_found`: the code of the first input at fault, with all of
   *   them in its errors
   */
  async resolve(
    accountId: string,
    places: readonly InputPlace[],
    parts: readonly FilePart[],
  ): Promise<readonly NewJobInput[]> {
    const resolved = new Map<InputPlace, Resolved>();
    for (const place of places) {
      if ('url' in place) resolved.set(place, urlInput(place, this.guard));
      if ('part' in place) resolved.set(place, partInput(place, parts));
    }
    await this.resolveFiles(accountId, places, resolved);
    await this.resolveOutputs(accountId, places, resolved);
    const all = places.map((place) => resolved.get(place)).filter((input) => input !== undefined);
    const inputs = withoutProblems([...all, ...unnamedParts(places, parts)]);
    return inputs.map((input, index) => ({ ...input, ...this.goingWith(places[index]) }));
  }

  private goingWith({ pages, password }: Pick<InputPlace, 'pages' | 'password'> = {}) {
    return { pages, sealedPassword: password === undefined ? undefined : this.keyring.seal(password) };
  }

  private async resolveFiles(
    accountId: string,
    places: readonly InputPlace[],
    resolved: Map<InputPlace, Resolved>,
  ): Promise<void> {
    const wanted: { readonly place: Place<'file_id'>; readonly fileId: string }[] = [];
    for (const place of places) {
      if (!('file_id' in place)) continue;
      const fileId = uuidOf('file', place.file_id);
      if (fileId === null) resolved.set(place, wrongId('file', place, place.file_id));
      else wanted.push({ place, fileId });
    }
    if (wanted.length === 0) return;
    const documents = await this.files.find(wanted.map(({ fileId }) => ({ accountId, fileId })));
    wanted.forEach(({ place }, position) => {
      const document = documents[position] ?? null;
      const missing = () => notFound(place, 'file_id', `there is no file ${place.file_id}, or it has expired`);
      resolved.set(place, document === null ? missing() : { document, source: null });
    });
  }

  private async resolveOutputs(
    accountId: string,
    places: readonly InputPlace[],
    resolved: Map<InputPlace, Resolved>,
  ): Promise<void> {
    const wanted: { readonly place: Place<'job_id'>; readonly source: NewJobSource }[] = [];
    for (const place of places) {
      if (!('job_id' in place)) continue;
      const jobId = uuidOf('job', place.job_id);
      if (jobId === null) resolved.set(place, wrongId('job', place, place.job_id));
      else wanted.push({ place, source: { jobId, output: place.output } });
    }
    if (wanted.length === 0) return;
    const references = wanted.map(({ source }) => ({ jobId: source.jobId, index: source.output }));
    const outputs = await this.jobs.findJobOutputs(accountId, references);
    wanted.forEach(({ place, source }, position) => resolved.set(place, outputInput(outputs[position], source, place)));
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

function outputInput(output: ReferencedOutput | undefined, source: NewJobSource, place: Place<'job_id'>): Resolved {
  const job = typeId('job', source.jobId);
  if (output === undefined || output.state === null) return notFound(place, 'job_id', `there is no job ${job}`);
  switch (output.state) {
    case 'queued':
    case 'processing':
      return { document: null, source };
    case 'failed':
    case 'cancelled':
      return notFound(place, 'job_id', `the job ${job} has ${ended[output.state]}, so it has no outputs`);
    case 'completed':
      return output.document === null
        ? notFound(place, 'output', `the job ${job} has no output ${source.output}, or it has expired`)
        : { document: output.document, source };
  }
}

const ended = { failed: 'failed', cancelled: 'been cancelled' } as const;

function partInput(place: Place<'part'>, parts: readonly FilePart[]): Resolved {
  const part = parts[place.part];
  if (part === undefined)
    return invalid(`${place.pointer}/part`, `there is no part ${place.part}, of ${parts.length} files`);
  if (part.upload.sizeBytes === 0) return invalid(`/files/${place.part}`, `the file ${shown(part)} is empty`);
  const { objectId, sizeBytes, sha256 } = part.upload;
  const document = { objectId, name: documentName(part.fileName), mediaType: part.mediaType, sizeBytes, sha256 };
  return { document, source: null };
}

/** A file that was sent for nothing is more likely a mistake than meant. */
function unnamedParts(places: readonly InputPlace[], parts: readonly FilePart[]): readonly InputProblem[] {
  const named = new Set(places.map((place) => ('part' in place ? place.part : null)));
  return parts.flatMap((part, index) =>
    named.has(index) ? [] : [invalid(`/files/${index}`, `no entry of inputs names the file ${shown(part)}`)],
  );
}

/** Only what the URL itself says is vetted here; the worker vets every address that it connects to. */
function urlInput({ pointer, url }: Place<'url'>, guard: AddressGuard): Resolved {
  const verdict = guard.vetUrl(url);
  if (verdict.kind === 'refused') return invalid(`${pointer}/url`, refusalSentence(verdict, 'INPUT_ALLOW'));
  return { document: null, source: null, url };
}

function wrongId(prefix: 'file' | 'job', place: InputPlace, id: string): InputProblem {
  return notFound(place, `${prefix}_id`, wrongIdSentence(prefix, id));
}

function notFound({ pointer }: InputPlace, field: string, detail: string): InputProblem {
  return new InputProblem('input_not_found', { pointer: `${pointer}/${field}`, detail });
}

function invalid(pointer: string, detail: string): InputProblem {
  return new InputProblem('invalid_request', { pointer, detail });
}

function shown(part: FilePart): string {
  return documentName(part.fileName).slice(0, 100);
}
