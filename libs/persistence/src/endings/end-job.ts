import {
  batchEvent,
  type FailedItem,
  isTerminal,
  type Job,
  jobEvent,
  type JobState,
  mostFailedItems,
  type OutputLinks,
} from '#libs/domain';
import { uuidv7 } from 'uuidv7';
import { batchOf, type BatchRow } from '../batches/batch-row.js';
import type { Claim } from '../claims/claim.js';
import type { Settled } from '../claims/settled.js';
import type { Tx } from '../database/database.js';
import type { EventStore } from '../events/event-store.js';
import { jobOf, type JobRow } from '../jobs/job-row.js';
import type { OutboxRow } from '../outbox/outbox-row.js';
import { cancelBatch, cancelJob, endCancelledAttempts } from './cancel-jobs.sql.js';
import { countDownBatch, readEndedBatch } from './count-down-batch.sql.js';
import type { JobEnding, JobRetention, StoredOutput } from './job-ending.js';
import { lockDependents, releaseDependents } from './release-dependents.sql.js';
import { readClaim, settleJob } from './settle-job.sql.js';

/** Jobs that a transaction has ended, as they are now, with the outbox rows of their events for the announcer. */
export interface Ended {
  readonly jobs: readonly Job[];
  readonly records: readonly OutboxRow[];
}

/** What settling a job came to. */
export type SettledJob = ({ readonly outcome: 'settled' } & Ended) | { readonly outcome: Exclude<Settled, 'settled'> };

/** With what jobs are ended. */
export interface EndJobOptions {
  readonly events: EventStore;
  readonly links: OutputLinks;
  readonly retention: JobRetention;
}

type EndedRow = JobRow & { readonly account_id: string };
type EndedBatchRow = BatchRow & { readonly failed_items: readonly FailedItem[] };

/**
 * The ends of jobs, each with all that it means, in the transaction of the caller: result, usage record and key expiry; event, deliveries and
 * outbox row; the jobs that awaited it; its batch, which the last of its jobs ends. Locks are taken job before batch.
 */
export class EndJob {
  constructor(private readonly options: EndJobOptions) {}

  /**
   * Ends a job as its worker says, unless the claim does not hold.
   *
   * @param linkKeyId id of the secret key that signs the links of the outputs
   * @throws the database's error 23503 on `job_outputs_object_exists` when the collector has taken the object of an output
   */
  async settle(tx: Tx, claim: Claim, ending: JobEnding, linkKeyId: string): Promise<SettledJob> {
    const { jobMs, artifactMs, keyMs } = this.options.retention;
    const rows = await tx.query<EndedRow>(settleJob, [
      ...[claim.jobId, claim.claim, ending.state],
      JSON.stringify(ending.state === 'completed' ? ending.warnings : []),
      ending.state === 'failed' ? JSON.stringify(ending.error) : null,
      ending.state === 'completed' ? ending.total : null,
      ...[jobMs, artifactMs],
      JSON.stringify(ending.state === 'completed' ? ending.outputs.map(outputRow) : []),
      ...[keyMs, linkKeyId],
    ]);
    if (rows.length === 0) return { outcome: await whyUnsettled(tx, claim) };
    return { outcome: 'settled', ...(await this.conclude(tx, rows)) };
  }

  /** Cancels a job that has not ended; no job is ended when the account has none of that id, or it has ended. */
  async cancelJob(tx: Tx, accountId: string, jobId: string): Promise<Ended> {
    return this.cancel(tx, cancelJob, accountId, jobId);
  }

  /** Cancels those jobs of a batch that have not ended. */
  async cancelBatch(tx: Tx, accountId: string, batchId: string): Promise<Ended> {
    return this.cancel(tx, cancelBatch, accountId, batchId);
  }

  private async cancel(tx: Tx, statement: typeof cancelJob, accountId: string, id: string): Promise<Ended> {
    const { jobMs, keyMs } = this.options.retention;
    const rows = await tx.query<EndedRow>(statement, [accountId, id, jobMs, keyMs]);
    if (rows.length > 0) await tx.query(endCancelledAttempts, [rows.map((row) => row.id)]);
    return this.conclude(tx, rows);
  }

  private async conclude(tx: Tx, rows: readonly EndedRow[]): Promise<Ended> {
    const [first] = rows;
    if (first === undefined) return { jobs: [], records: [] };
    const { events, links } = this.options;
    const jobs = rows.map(jobOf);
    const jobEvents = jobs.map((job) => ({ event: jobEvent(uuidv7(), job, links), subject: { jobId: job.id } }));
    const records = await events.record(tx, first.account_id, jobEvents);
    await this.releaseDependents(tx, jobs);
    // The jobs of one ending are all of one batch, or one that is in none.
    const batchRecords = first.batch_id === null ? [] : await this.countDown(tx, first, first.batch_id, jobs.length);
    return { jobs, records: [...records, ...batchRecords] };
  }

  private async releaseDependents(tx: Tx, jobs: readonly Job[]): Promise<void> {
    const dependents = await tx.query<{ id: string }>(lockDependents, [jobs.map((job) => job.id)]);
    if (dependents.length > 0) await tx.query(releaseDependents, [dependents.map(({ id }) => id)]);
  }

  private async countDown(
    tx: Tx,
    { account_id: accountId }: EndedRow,
    batchId: string,
    endedJobs: number,
  ): Promise<readonly OutboxRow[]> {
    const { events, links, retention } = this.options;
    const values = [batchId, endedJobs, retention.jobMs, retention.keyMs];
    const [counted] = await tx.query<{ has_ended: boolean }>(countDownBatch, values);
    if (counted === undefined) throw new Error(`the batch ${batchId} of an ended job is not there`);
    if (!counted.has_ended) return [];
    const [row] = await tx.query<EndedBatchRow>(readEndedBatch, [batchId, mostFailedItems]);
    if (row === undefined) throw new Error(`the batch ${batchId} ended and is not there`);
    const event = batchEvent(uuidv7(), batchOf(row), row.failed_items, links);
    return events.record(tx, accountId, [{ event, subject: { batchId } }]);
  }
}

/** A statement of its own, so that it sees the commit that the settlement waited for. */
async function whyUnsettled(tx: Tx, { jobId, claim }: Claim): Promise<Exclude<Settled, 'settled'>> {
  const [row] = await tx.query<{ claim: number; state: JobState }>(readClaim, [jobId]);
  return row?.claim === claim && isTerminal(row.state) ? 'settled-before' : 'superseded';
}

function outputRow(output: StoredOutput, index: number) {
  const { name, mediaType, sizeBytes, sha256, pages, objectId } = output;
  return { index, name, media_type: mediaType, size: sizeBytes, sha256, pages, object_id: objectId };
}
