import { typeId } from '#libs/domain';
import type { ClaimStore } from '#libs/persistence';
import type { Logger } from 'pino';
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
      const { jobId, claim } = running.job;
      if (held.has(jobId) || !running.stop('lost')) continue;
      this.log.info({ job: typeId('job', jobId), claim }, 'claim.lost');
    }
  }
}
