import type { Job, JobOutput, JobState } from '#libs/domain';
import type { Queryable } from '../database/database.js';
import { documentOf, type DocumentRow } from '../files/document-row.js';
import type { StoredDocument } from '../files/stored-document.js';
import {
  findEnded,
  findJob,
  findJobOutputs,
  findOutput,
  listJobs,
  listJobsOfBatch,
  listJobsOfKey,
} from './job-reader.sql.js';
import { type JobHistory, jobHistoryOf, type JobHistoryRow } from './job-history.js';
import { readJobHistory } from './job-history.sql.js';
import { jobOf, type JobRow } from './job-row.js';

/**
 * Which jobs: those that fit every member that is given, older than `before` (a job's UUID), at most `limit`. `createdFrom` is the first
 * instant, `createdTo` the first that no longer counts.
 */
export interface JobFilter {
  readonly state?: JobState | undefined;
  readonly operation?: string | undefined;
  readonly idempotencyKey?: string | undefined;
  readonly createdFrom?: Date | undefined;
  readonly createdTo?: Date | undefined;
  readonly before?: string | undefined;
  readonly limit: number;
}

/** Which jobs of a batch: those in a state, if one is given, after `after` (a job's UUID) in the order of the items, at most `limit`. */
export interface BatchJobFilter {
  readonly state?: JobState | undefined;
  readonly after?: string | undefined;
  readonly limit: number;
}

/** An output with whose it is and where it lies. */
export interface OutputFound extends Omit<JobOutput, 'index'> {
  readonly accountId: string;
  /** `null` from the output's expiry on, by the clock of the database. */
  readonly objectName: string | null;
}

/** One output of a job. */
export interface OutputReference {
  readonly jobId: string;
  readonly index: number;
}

/** What a reference to an output leads to. */
export interface ReferencedOutput {
  /** `null` when the account has no such job. */
  readonly state: JobState | null;
  /** `null` when the job has no such output, not yet, or no longer. */
  readonly document: StoredDocument | null;
}

/** What is asked after; all UUIDs. */
export interface WorkInQuestion {
  readonly jobs: readonly string[];
  readonly batches: readonly string[];
  readonly deliveries: readonly string[];
}

interface OutputRow {
  readonly account_id: string;
  readonly object_name: string | null;
  readonly name: string;
  readonly media_type: string;
  readonly size: number;
  readonly sha256: string;
  readonly pages: number;
  readonly expires_at: Date;
  readonly link_key_id: string;
}

/** Reads jobs with their inputs and outputs. */
export class JobReader {
  constructor(private readonly database: Queryable) {}

  /** The account's job, `null` when it has none of that id. */
  async find(accountId: string, jobId: string): Promise<Job | null> {
    const [row] = await this.database.query<JobRow>(findJob, [accountId, jobId]);
    return row === undefined ? null : jobOf(row);
  }

  /** What happened to the account's job, `null` when it has none of that id. */
  async history(accountId: string, jobId: string): Promise<JobHistory | null> {
    const [row] = await this.database.query<JobHistoryRow>(readJobHistory, [accountId, jobId]);
    return row === undefined ? null : jobHistoryOf(row);
  }

  /** One page of the account's jobs, newest first. */
  async list(accountId: string, filter: JobFilter): Promise<Job[]> {
    const { state = null, operation = null, createdFrom = null, createdTo = null, before = null, limit } = filter;
    const values = [accountId, before, state, operation, createdFrom, createdTo, limit];
    const rows = await (filter.idempotencyKey === undefined
      ? this.database.query<JobRow>(listJobs, values)
      : this.database.query<JobRow>(listJobsOfKey, [...values, filter.idempotencyKey]));
    return rows.map(jobOf);
  }

  /** One page of the jobs of the account's batch, in the order of its items; none when the account has no such batch. */
  async listOfBatch(accountId: string, batchId: string, filter: BatchJobFilter): Promise<Job[]> {
    const { state = null, after = null, limit } = filter;
    const rows = await this.database.query<JobRow>(listJobsOfBatch, [accountId, batchId, after, state, limit]);
    return rows.map(jobOf);
  }

  /** Those of the jobs and batches that have ended, and of the deliveries that were attempted or have ended. One statement, however many requests wait. */
  async endedAmong({ jobs, batches, deliveries }: WorkInQuestion): Promise<string[]> {
    const rows = await this.database.query<{ id: string }>(findEnded, [jobs, batches, deliveries]);
    return rows.map((row) => row.id);
  }

  /** An output of any account's job (a signed link names no account), `null` when there is none of that number. */
  async findOutput(jobId: string, index: number): Promise<OutputFound | null> {
    const [row] = await this.database.query<OutputRow>(findOutput, [jobId, index]);
    return row === undefined ? null : outputOf(row);
  }

  /** What a new job may read of the account's earlier jobs: one entry for each reference, in that order. */
  async findJobOutputs(
    accountId: string,
    references: readonly OutputReference[],
  ): Promise<readonly ReferencedOutput[]> {
    const jobIds = references.map((reference) => reference.jobId);
    const indexes = references.map((reference) => reference.index);
    const rows = await this.database.query<DocumentRow & { readonly state: JobState | null }>(findJobOutputs, [
      accountId,
      jobIds,
      indexes,
    ]);
    return rows.map((row) => ({ state: row.state, document: documentOf(row) }));
  }
}

function outputOf(row: OutputRow): OutputFound {
  return {
    accountId: row.account_id,
    objectName: row.object_name,
    name: row.name,
    mediaType: row.media_type,
    sizeBytes: row.size,
    sha256: row.sha256,
    pages: row.pages,
    expiresAt: row.expires_at,
    linkKeyId: row.link_key_id,
  };
}
