import type { ClaimStore } from '#libs/persistence';
import type { Logger } from 'pino';
import { logged } from './logged.js';
import type { RunningJobs } from './running-jobs.js';

/** Keeps the leases of all running jobs, writes their progress and stops those whose claim was lost: one statement for all of them. */
export class RenewLeases {
  constructor(
    private readonly store: ClaimStore,
    private readonly running: RunningJobs,
    private readonly leaseMs: number,
    private readonly log: Logger,
  ) {}

  async renew(): Promise<void> {
    const jobs = this.running.all;
    if (jobs.length === 0) return;
    const held = await this.store.renew(
      jobs.map((job) => job.progress),
      this.leaseMs,
    );
    for (const running of jobs) {
      if (held.has(running.job.jobId) || !running.stop('lost')) continue;
      this.log.info(logged(running.job), 'job.lost');
    }
  }
}
