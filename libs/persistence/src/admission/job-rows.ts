import { typeId } from '#libs/domain';
import type { IdempotencyRecord } from './idempotency-record.js';
import { awaitedJobs, type NewBatch, type NewJob, type NewJobInput } from './new-job.js';

/** A job to write under an API key, and under an idempotency key that nobody has when it has one. Ids are UUIDs. */
export interface JobToAdmit {
  readonly apiKeyId: string;
  readonly job: NewJob;
  readonly record: IdempotencyRecord | null;
}

/** Jobs that are admitted in one statement as JSON rows, and the bodies of their answers, which lie one behind the other. */
export interface JobsToAdmit {
  readonly rows: readonly object[];
  readonly answers: Buffer;
}

/** The rows of jobs that are admitted in one statement; those with a key say where their answers lie, counted in bytes from 1. */
export function rowsToAdmit(asked: readonly JobToAdmit[]): JobsToAdmit {
  const answers = asked.map(({ record }) => Buffer.from(record?.answer.body ?? ''));
  const places = placesOf(answers.map(({ length }) => length));
  return { rows: asked.map((each, index) => rowToAdmit(each, places[index])), answers: Buffer.concat(answers) };
}

function rowToAdmit({ apiKeyId, job, record }: JobToAdmit, place?: AnswerPlace): object {
  const row = { ...jobRow(job), api_key_id: apiKeyId };
  return record === null ? row : { ...row, ...keyRow(record), ...place };
}

interface AnswerPlace {
  readonly answer_at: number;
  readonly answer_bytes: number;
}

function placesOf(lengths: readonly number[]): readonly AnswerPlace[] {
  const places: AnswerPlace[] = [];
  let end = 1;
  for (const length of lengths) {
    places.push({ answer_at: end, answer_bytes: length });
    end += length;
  }
  return places;
}

/** The JSON rows of the jobs of a batch, in the order of its items. */
export function batchRows({ id, items }: NewBatch): readonly object[] {
  return items.map(({ clientItemId, job }) => ({ ...jobRow(job), batch_id: id, client_item_id: clientItemId }));
}

/** The JSON row of a job. */
export function jobRow(job: NewJob): object {
  const { id, accountId, operation, options, metadata, idempotencyKey, progress, createdAt, command } = job;
  return {
    id,
    account_id: accountId,
    operation,
    options,
    metadata,
    idempotency_key: idempotencyKey,
    created_at: createdAt,
    progress_total: progress.total,
    progress_unit: progress.unit,
    awaits_inputs: awaitedJobs(job).length > 0,
    outbox_key: typeId('job', id),
    event_id: command.id,
    type: command.type,
    command: command.body,
  };
}

/** The JSON rows of the inputs of a job. */
export function inputRows({ id, inputs }: NewJob): readonly object[] {
  return inputs.map((input, index) => inputRow(id, input, index));
}

function keyRow({ route, fingerprint, answer, isSealed }: IdempotencyRecord) {
  const { status, location, contentType } = answer;
  return { route, fingerprint, status, location, content_type: contentType, is_sealed: isSealed };
}

function inputRow(jobId: string, { document, source, url, pages, sealedPassword }: NewJobInput, index: number) {
  return {
    ...{ job_id: jobId, index, name: document?.name, media_type: document?.mediaType, size: document?.sizeBytes },
    ...{ sha256: document?.sha256, object_id: document?.objectId },
    ...{ source_job_id: source?.jobId, source_output: source?.output, url },
    ...{ pages, sealed_password: sealedPassword },
  };
}
