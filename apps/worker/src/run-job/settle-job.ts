import { reach } from '#libs/failpoints';
import type { Announcer } from '#libs/messaging';
import {
  brokenConstraint,
  type Claim,
  type Database,
  type EndJob,
  type JobEnding,
  repeatWhileUnknown,
  type Settled,
} from '#libs/persistence';
import type { Logger } from 'pino';
import { metrics } from '../metrics.js';
import { logged } from './logged.js';

/** What settling a job came to. `output-collected`: the object of an output is gone; nothing was written. */
export type SettleOutcome = Settled | 'output-collected';

/** What settling works with. */
export interface SettleJobOptions {
  readonly database: Database;
  readonly endJob: EndJob;
  readonly announcer: Announcer;
  /** Id of the secret key that signs the links of outputs. */
  readonly linkKeyId: string;
  /** Aborts when the process cannot wait for the database any longer. */
  readonly giveUp: AbortSignal;
  readonly log: Logger;
}

/** Ends a job in one transaction, only under its claim. */
export class SettleJob {
  constructor(private readonly options: SettleJobOptions) {}

  /** Repeats until the outcome is known. @throws the last error when the process ends first, or on a defect */
  async settle(claim: Claim, ending: JobEnding): Promise<SettleOutcome> {
    const { log, giveUp } = this.options;
    const outcome = await repeatWhileUnknown(() => this.#settleOnce(claim, ending), {
      until: giveUp,
      onError: (error) => log.warn({ err: error, ...logged(claim) }, 'job.settle-repeated'),
    });
    metrics.settles.inc({ outcome });
    if (outcome === 'superseded') log.warn({ ...logged(claim), state: ending.state }, 'job.superseded');
    return outcome;
  }

  async #settleOnce(claim: Claim, ending: JobEnding): Promise<SettleOutcome> {
    const { database, endJob, linkKeyId, announcer } = this.options;
    try {
      const settled = await database.transaction((tx) => endJob.settle(tx, claim, ending, linkKeyId));
      if (settled.outcome !== 'settled') return settled.outcome;
      await reach('job.after-settle');
      announcer.announce(settled.records);
      return 'settled';
    } catch (error) {
      if (brokenConstraint(error) === 'job_outputs_object_exists') return 'output-collected';
      throw error;
    }
  }
}
