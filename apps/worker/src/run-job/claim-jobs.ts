import type { ClaimStore } from '#libs/persistence';
import type { Logger } from 'pino';
import { metrics } from '../metrics.js';
import type { RunJob } from './run-job.js';
import { RunningJob } from './running-job.js';
import type { RunningJobs } from './running-jobs.js';

/** What claiming works with; times in milliseconds. */
export interface ClaimJobsOptions {
  readonly store: ClaimStore;
  readonly running: RunningJobs;
  readonly runJob: RunJob;
  readonly leaseMs: number;
  readonly pollMs: number;
  readonly log: Logger;
}

/** A process has few slots, so it needs no more names than this to fill them. */
const mostNames = 500;

/** Fills the free slots of this process with ready jobs. One claim is under way at a time; who asks meanwhile is served by the next. */
export class ClaimJobs {
  readonly #named = new Set<string>();
  #isOpen = false;
  #claiming: Promise<void> | null = null;
  #isWanted = false;
  #afterAccountId: string | null = null;

  constructor(private readonly options: ClaimJobsOptions) {}

  /** From now on jobs are claimed. */
  open(): void {
    this.#isOpen = true;
  }

  /** From now on no job is claimed; resolves when the claim under way, whose jobs are still run, has ended. */
  async close(): Promise<void> {
    this.#isOpen = false;
    await this.#claiming?.catch(() => undefined);
  }

  /** Claims what the free slots can take, these jobs first if it is not another's turn. Resolves before they are done. */
  async claim(jobIds: readonly string[] = []): Promise<void> {
    if (!this.#isOpen) return;
    for (const id of jobIds.slice(0, mostNames - this.#named.size)) this.#named.add(id);
    this.#isWanted = true;
    if (this.#claiming !== null) return;
    this.#claiming = this.#claimAll();
    await this.#claiming;
  }

  /** As {@link claim}, but an error is only logged: the next poll claims. */
  async tryClaim(jobIds: readonly string[] = []): Promise<void> {
    try {
      await this.claim(jobIds);
    } catch (error) {
      this.options.log.warn({ err: error }, 'jobs.not-claimed');
    }
  }

  async #claimAll(): Promise<void> {
    try {
      await Promise.resolve();
      while (this.#isOpen && this.#isWanted && this.options.running.free > 0) await this.#claimOnce();
    } finally {
      this.#named.clear();
      this.#claiming = null;
    }
  }

  async #claimOnce(): Promise<void> {
    const { store, running, leaseMs, pollMs } = this.options;
    const jobIds = [...this.#named];
    this.#named.clear();
    this.#isWanted = false;
    const claimed = await store.claim({
      limit: running.free,
      leaseMs,
      pollMs,
      jobIds,
      afterAccountId: this.#afterAccountId,
    });
    this.#afterAccountId = claimed.afterAccountId;
    for (const job of claimed.jobs) {
      metrics.claims.inc();
      void this.#run(new RunningJob(job));
    }
  }

  async #run(job: RunningJob): Promise<void> {
    const { running, runJob } = this.options;
    running.add(job);
    try {
      await runJob.run(job);
    } finally {
      running.remove(job);
      await this.tryClaim();
    }
  }
}
