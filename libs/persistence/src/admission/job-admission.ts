import type { JobProgress, RenderedEvent } from '#libs/domain';
import { typeId } from '#libs/domain';
import type { Queryable } from '../database/database.js';
import type { OutboxRoute } from '../outbox/outbox-route.js';
import { type OutboxRow, outboxRow } from '../outbox/outbox-row.js';
import { admitKeyedJob, admitKeylessJob } from './admit-job.sql.js';
import type { IdempotencyRecord, KeyMode } from './idempotency-record.js';
import { keyParameters } from './key-parameters.js';

/** One input of a new job: an object that is complete. */
export interface NewJobInput {
  readonly objectId: string;
  readonly name: string;
  readonly mediaType: string;
  readonly sizeBytes: number;
  /** Hexadecimal. */
  readonly sha256: string;
  /** Where it came from, when it is another job's output. */
  readonly source: { readonly jobId: string; readonly output: number } | null;
}

/** A job that is about to be accepted; ids are UUIDs. */
export interface NewJob {
  readonly id: string;
  readonly accountId: string;
  readonly operation: string;
  readonly options: object;
  readonly metadata: Readonly<Record<string, string>>;
  readonly idempotencyKey: string | null;
  readonly progress: JobProgress;
  readonly createdAt: Date;
  readonly inputs: readonly NewJobInput[];
  readonly command: RenderedEvent;
}

/** How an admission ended: `held` means that a committed record has the key, `unauthorized` that the API key was revoked. */
export type JobAdmission =
  | { readonly kind: 'admitted'; readonly record: OutboxRow }
  | { readonly kind: 'held' }
  | { readonly kind: 'unauthorized' };

/** Writes jobs with their keys. */
export class JobAdmissionStore {
  /** @param route where the outbox rows of commands go */
  constructor(
    private readonly database: Queryable,
    private readonly route: OutboxRoute,
  ) {}

  /** Writes a job in one statement, under its key when it has one. A broken `job_inputs_object_exists` means that an input is gone. */
  async admit(
    apiKeyId: string,
    job: NewJob,
    keyed: { readonly record: IdempotencyRecord; readonly mode: KeyMode } | null,
  ): Promise<JobAdmission> {
    const values = this.jobParameters(apiKeyId, job);
    const [row] = await (keyed === null
      ? this.database.query<AdmissionRow>(admitKeylessJob, values)
      : this.database.query<AdmissionRow>(admitKeyedJob[keyed.mode], [...values, ...keyParameters(keyed.record)]));
    if (row?.is_authorized !== true) return { kind: 'unauthorized' };
    return row.outbox_id === null
      ? { kind: 'held' }
      : { kind: 'admitted', record: outboxRow(row.outbox_id, this.route.topic, typeId('job', job.id), job.command) };
  }

  private jobParameters(apiKeyId: string, job: NewJob): readonly unknown[] {
    const { id, accountId, operation, options, metadata, idempotencyKey, progress, createdAt, inputs, command } = job;
    return [
      ...[apiKeyId, id, accountId, operation, JSON.stringify(options), JSON.stringify(metadata), idempotencyKey],
      ...[progress.total, progress.unit, createdAt],
      inputs.map((input) => input.name),
      inputs.map((input) => input.mediaType),
      inputs.map((input) => input.sizeBytes),
      inputs.map((input) => Buffer.from(input.sha256, 'hex')),
      inputs.map((input) => input.objectId),
      inputs.map((input) => input.source?.jobId ?? null),
      inputs.map((input) => input.source?.output ?? null),
      ...[this.route.topic, typeId('job', id), command.id, command.type, command.body, this.route.state],
    ];
  }
}

interface AdmissionRow {
  readonly is_authorized: boolean;
  readonly outbox_id: string | null;
}
