import type { ClaimStore } from '#libs/persistence';
import type { Logger } from 'pino';
import { metrics } from '../metrics.js';
import { exhausted } from '../run-job/exhausted.js';
import { logged } from '../run-job/logged.js';
import type { SettleJob } from '../run-job/settle-job.js';

/** Takes jobs whose lease has lapsed from their workers: back into the queue, or to their end when no attempt is left. */
export class RescueJobs {
  constructor(
    private readonly store: ClaimStore,
    private readonly settleJob: SettleJob,
    private readonly limits: { readonly maxAttempts: number; readonly leaseMs: number },
    private readonly log: Logger,
  ) {}

  async rescue(): Promise<void> {
    const rescued = await this.store.rescue(this.limits.maxAttempts, this.limits.leaseMs);
    for (const { outcome, attempt, ...claim } of rescued) {
      metrics.rescues.inc({ outcome });
      this.log.warn({ ...logged(claim), attempt, outcome }, 'job.rescued');
      if (outcome === 'exhausted') await this.settleJob.settle(claim, exhausted(attempt));
    }
  }
}
