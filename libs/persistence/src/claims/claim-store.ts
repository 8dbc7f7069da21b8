import { jobRetryDelayMs } from '#libs/domain';
import type { Database } from '../database/database.js';
import type { Claim, ClaimedInput, ClaimedJob, ClaimProgress, FetchedInput, RescuedJob } from './claim.js';
import { claimJobs } from './claim-jobs.sql.js';
import { handBackJob, requeueJob } from './give-up-claim.sql.js';
import { recordInput } from './record-input.sql.js';
import { renewClaims } from './renew-claims.sql.js';
import { rescueJobs } from './rescue-jobs.sql.js';

/** What a worker can take now. */
export interface ClaimRequest {
  /** How many jobs at most. */
  readonly limit: number;
  readonly leaseMs: number;
  /** The account behind which the round begins, `null` for the first time. */
  readonly afterAccountId: string | null;
  /** Jobs the worker was told of, taken out of turn as long as nothing has waited longer than `pollMs`. */
  readonly jobIds?: readonly string[];
  readonly pollMs: number;
}

/** What a worker got, in turn. */
export interface Claimed {
  readonly jobs: readonly ClaimedJob[];
  /** Where the next round begins. */
  readonly afterAccountId: string | null;
}

interface ClaimedRow {
  readonly id: string;
  readonly claim: number;
  readonly attempt: number;
  readonly account_id: string;
  readonly operation: string;
  readonly options: unknown;
  readonly progress_total: number;
  readonly waited_ms: number;
  readonly is_named: boolean;
  readonly inputs: readonly ClaimedInput[];
}

const firstAccount = '00000000-0000-0000-0000-000000000000';

/** Claims of jobs. Every write but the first names the claim it is made under, and says whether that claim held. */
export class ClaimStore {
  constructor(private readonly database: Database) {}

  /** Takes ready jobs: the named ones, or else round the accounts, the oldest first within one. */
  async claim(request: ClaimRequest): Promise<Claimed> {
    const { limit, leaseMs, afterAccountId, jobIds = [], pollMs } = request;
    const values = [limit, leaseMs, afterAccountId ?? firstAccount, jobIds, pollMs];
    const rows = await this.database.query<ClaimedRow>(claimJobs, values);
    const last = rows.findLast((row) => !row.is_named);
    return { jobs: rows.map(claimedJobOf), afterAccountId: last?.account_id ?? afterAccountId };
  }

  /** Renews the leases of all these claims and writes their progress; gives the ids of the jobs that they still hold. */
  async renew(claims: readonly ClaimProgress[], leaseMs: number): Promise<ReadonlySet<string>> {
    const column = <T>(value: (claim: ClaimProgress) => T): T[] => claims.map(value);
    const columns = [column((c) => c.jobId), column((c) => c.claim), column((c) => c.done), column((c) => c.total)];
    const rows = await this.database.query<{ id: string }>(renewClaims, [...columns, leaseMs]);
    return new Set(rows.map((row) => row.id));
  }

  /** Makes what was fetched the input of a claimed job, for its later attempts too; false when the claim does not hold. */
  async recordInput({ jobId, claim }: Claim, input: FetchedInput): Promise<boolean> {
    const { index, name, mediaType, sizeBytes, sha256, objectId } = input;
    const values = [jobId, claim, index, name, mediaType, sizeBytes, sha256, objectId];
    return (await this.database.query(recordInput, values)).length > 0;
  }

  /** Puts a job back for its next attempt; false when the claim does not hold. */
  async requeue({ jobId, claim }: Claim, delayMs: number): Promise<boolean> {
    return (await this.database.query(requeueJob, [jobId, claim, delayMs])).length > 0;
  }

  /** Puts a job back as if it had not been claimed; false when the claim does not hold. */
  async handBack({ jobId, claim }: Claim): Promise<boolean> {
    return (await this.database.query(handBackJob, [jobId, claim])).length > 0;
  }

  /** Takes jobs with a lapsed lease from their workers, at most 100. Those without an attempt left are the caller's for `leaseMs`. */
  async rescue(maxAttempts: number, leaseMs: number): Promise<readonly RescuedJob[]> {
    const delaysMs = Array.from({ length: maxAttempts }, (_, index) => jobRetryDelayMs(index + 1));
    const values = [maxAttempts, delaysMs, leaseMs];
    const rows = await this.database.query<{ id: string; claim: number; attempt: number; state: string }>(
      rescueJobs,
      values,
    );
    return rows.map(({ id, claim, attempt, state }) => ({
      jobId: id,
      claim,
      attempt,
      outcome: state === 'queued' ? 'queued' : 'exhausted',
    }));
  }
}

function claimedJobOf(row: ClaimedRow): ClaimedJob {
  return {
    jobId: row.id,
    claim: row.claim,
    accountId: row.account_id,
    attempt: row.attempt,
    operation: row.operation,
    options: row.options,
    progressTotal: row.progress_total,
    waitedMs: Math.max(0, row.waited_ms),
    inputs: row.inputs,
  };
}
