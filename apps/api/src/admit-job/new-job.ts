import { type Job, jobSubmittedCommand } from '#libs/domain';
import type { NewJob, NewJobInput } from '#libs/persistence';
import { uuidv7 } from 'uuidv7';
import type { CreateIntent } from '../idempotency/create-intent.js';
import type { ChosenOperation } from './choose-job.js';

/** A job under a new id, ready to be written. Ids made one after the other grow. */
export function newJob(
  intent: CreateIntent,
  { operation, options }: ChosenOperation,
  inputs: readonly NewJobInput[],
  metadata: NewJob['metadata'],
  createdAt: Date,
): NewJob {
  const id = uuidv7();
  return {
    id,
    accountId: intent.caller.accountId,
    operation: operation.name,
    options,
    metadata,
    idempotencyKey: intent.key,
    progress: { done: 0, total: operation.progress.total(options, inputs.length), unit: operation.progress.unit },
    createdAt,
    inputs,
    command: jobSubmittedCommand(uuidv7(), id, operation.name, createdAt),
  };
}

/** The job as it is accepted: nothing in it changes later. */
export function acceptedJob(job: NewJob): Job {
  const { id, operation, idempotencyKey, progress, metadata, createdAt } = job;
  return {
    id,
    operation,
    idempotencyKey,
    progress,
    metadata,
    createdAt,
    state: 'queued',
    attempt: 0,
    batchId: null,
    clientItemId: null,
    startedAt: null,
    finishedAt: null,
    expiresAt: null,
    inputs: job.inputs.map(({ document }) => ({
      name: document?.name ?? null,
      mediaType: document?.mediaType ?? null,
      sizeBytes: document?.sizeBytes ?? null,
      sha256: document?.sha256 ?? null,
    })),
    outputs: [],
    warnings: [],
    error: null,
  };
}
