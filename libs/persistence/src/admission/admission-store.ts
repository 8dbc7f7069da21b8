import { type RenderedEvent, typeId } from '#libs/domain';
import type { Queryable } from '../database/database.js';
import type { OutboxRoute } from '../outbox/outbox-route.js';
import { type OutboxRow, outboxRow } from '../outbox/outbox-row.js';
import { admitKeyedBatch, admitKeylessBatch } from './admit-batch.sql.js';
import { admitKeyedJob, admitKeylessJob } from './admit-job.sql.js';
import { admitJobs } from './admit-jobs.sql.js';
import type { KeyToTake } from './idempotency-record.js';
import { batchRows, inputRows, jobRow, type JobToAdmit, rowsToAdmit } from './job-rows.js';
import { keyParameters } from './key-parameters.js';
import { awaitedJobs, type NewBatch, type NewJob } from './new-job.js';

/**
 * How an admission ended. `held`: a committed record has the key; `unauthorized`: the API key was revoked; `input-ended`: a job whose output is
 * awaited has ended, so its output is there to be used, or never will be. Nothing was written but when it was `admitted`.
 */
export type Admission =
  | { readonly kind: 'admitted'; readonly records: readonly OutboxRow[] }
  | { readonly kind: 'held' }
  | { readonly kind: 'unauthorized' }
  | { readonly kind: 'input-ended' };

interface AdmissionRow {
  readonly is_authorized: boolean;
  readonly is_awaitable: boolean;
}

interface JobRow extends AdmissionRow {
  readonly outbox_id: string | null;
}

interface JobOfManyRow extends JobRow {
  readonly job_id: string;
}

interface BatchRow extends AdmissionRow {
  readonly outbox_ids: OutboxIds | null;
}

/** Writes jobs and batches with their keys. A broken `job_inputs_object_exists` means that a document is gone. */
export class AdmissionStore {
  /** @param route where the outbox rows of commands go */
  constructor(
    private readonly database: Queryable,
    private readonly route: OutboxRoute,
  ) {}

  /** Writes a job in one statement, under its key when it has one. */
  async admitJob(apiKeyId: string, job: NewJob, keyed: KeyToTake | null): Promise<Admission> {
    const values = this.jobParameters(apiKeyId, job);
    const [row] = await (keyed === null
      ? this.database.query<JobRow>(admitKeylessJob, values)
      : this.database.query<JobRow>(admitKeyedJob[keyed.mode], [...values, ...keyParameters(keyed.record)]));
    return admissionOf(row, row?.outbox_id, (id) => [this.outboxRow(id, job.id, job.command)]);
  }

  /**
   * Writes jobs in one statement, each under its key when it has one and as if it were alone; but an error, of one of them or of a lock that is
   * not had within 100 ms, undoes all. No job may await the output of another.
   *
   * @returns an admission for each, in their order
   */
  async admitJobs(asked: readonly JobToAdmit[]): Promise<readonly Admission[]> {
    const { rows: jobs, answers } = rowsToAdmit(asked);
    const rows = await this.database.query<JobOfManyRow>(admitJobs, [
      JSON.stringify(jobs),
      JSON.stringify(asked.flatMap(({ job }) => inputRows(job))),
      ...[this.route.topic, this.route.state, answers],
    ]);
    const byJob = new Map(rows.map((row) => [row.job_id, row]));
    return asked.map(({ job }) => {
      const row = byJob.get(job.id);
      return admissionOf(row, row?.outbox_id, (id) => [this.outboxRow(id, job.id, job.command)]);
    });
  }

  /** Writes a batch with its jobs in one statement, under its key when it has one. */
  async admitBatch(apiKeyId: string, batch: NewBatch, keyed: KeyToTake | null): Promise<Admission> {
    const values = this.batchParameters(apiKeyId, batch);
    const [row] = await (keyed === null
      ? this.database.query<BatchRow>(admitKeylessBatch, values)
      : this.database.query<BatchRow>(admitKeyedBatch[keyed.mode], [...values, ...keyParameters(keyed.record)]));
    return admissionOf(row, row?.outbox_ids, (ids) =>
      batch.items.map(({ job }) => this.outboxRow(outboxIdOf(ids, job.command), job.id, job.command)),
    );
  }

  private outboxRow(id: string, jobId: string, command: RenderedEvent): OutboxRow {
    return outboxRow(id, this.route.topic, typeId('job', jobId), command);
  }

  private jobParameters(apiKeyId: string, job: NewJob): readonly unknown[] {
    return [
      ...[apiKeyId, job.accountId, JSON.stringify([jobRow(job)]), JSON.stringify(inputRows(job)), awaitedJobs(job)],
      ...[this.route.topic, this.route.state],
    ];
  }

  private batchParameters(apiKeyId: string, batch: NewBatch): readonly unknown[] {
    const jobs = batch.items.map(({ job }) => job);
    return [
      ...[apiKeyId, batch.accountId, JSON.stringify(batchRows(batch)), JSON.stringify(jobs.flatMap(inputRows))],
      ...[[...new Set(jobs.flatMap(awaitedJobs))], this.route.topic, this.route.state, batch.id, batch.createdAt],
    ];
  }
}

/** Ids of outbox rows by the id of their command. */
type OutboxIds = Readonly<Record<string, string>>;

function admissionOf<Written>(
  row: AdmissionRow | undefined,
  written: Written | null | undefined,
  recordsOf: (written: Written) => readonly OutboxRow[],
): Admission {
  if (row?.is_authorized !== true) return { kind: 'unauthorized' };
  if (!row.is_awaitable) return { kind: 'input-ended' };
  return written == null ? { kind: 'held' } : { kind: 'admitted', records: recordsOf(written) };
}

function outboxIdOf(ids: OutboxIds, command: RenderedEvent): string {
  const id = ids[command.id];
  if (id === undefined) throw new Error(`the command ${command.id} was not written`);
  return id;
}
