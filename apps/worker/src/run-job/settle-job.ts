import { jobEvent, type OutputLinks, reach } from '#libs/domain';
import type { Announcer } from '#libs/messaging';
import {
  brokenConstraint,
  type Claim,
  type ClaimStore,
  type Database,
  type EventStore,
  type JobEnding,
  type JobRetention,
  type OutboxRow,
  repeatWhileUnknown,
  type Settled,
} from '#libs/persistence';
import type { Logger } from 'pino';
import { uuidv7 } from 'uuidv7';
import { metrics } from '../metrics.js';
import { logged } from './logged.js';

/** What settling a job came to. `output-collected`: the object of an output is gone; nothing was written. */
export type SettleOutcome = Settled | 'output-collected';

/** What settling works with. */
export interface SettleJobOptions {
  readonly database: Database;
  readonly store: ClaimStore;
  readonly events: EventStore;
  readonly links: OutputLinks;
  readonly announcer: Announcer;
  readonly retention: JobRetention;
  /** Id of the secret key that signs the links of outputs. */
  readonly linkKeyId: string;
  /** Aborts when the process cannot wait for the database any longer. */
  readonly giveUp: AbortSignal;
  readonly log: Logger;
}

interface Written {
  readonly outcome: Settled;
  readonly announced: readonly OutboxRow[];
}

/** Ends a job in one transaction, only under its claim: result, usage record, key expiry, event, deliveries, outbox row. */
export class SettleJob {
  constructor(private readonly options: SettleJobOptions) {}

  /** Repeats until the outcome is known. @throws the last error when the process ends first, or on a defect */
  async settle(claim: Claim, ending: JobEnding): Promise<SettleOutcome> {
    const { log, giveUp } = this.options;
    const eventId = uuidv7();
    const outcome = await repeatWhileUnknown(() => this.#settleOnce(claim, ending, eventId), {
      until: giveUp,
      onError: (error) => log.warn({ err: error, ...logged(claim) }, 'job.settle-repeated'),
    });
    metrics.settles.inc({ outcome });
    if (outcome === 'superseded') log.warn({ ...logged(claim), state: ending.state }, 'job.superseded');
    return outcome;
  }

  async #settleOnce(claim: Claim, ending: JobEnding, eventId: string): Promise<SettleOutcome> {
    try {
      const { outcome, announced } = await this.#write(claim, ending, eventId);
      if (outcome === 'settled') await reach('job.after-settle');
      if (announced.length > 0) this.options.announcer.announce(announced);
      return outcome;
    } catch (error) {
      if (brokenConstraint(error) === 'job_outputs_object_exists') return 'output-collected';
      throw error;
    }
  }

  async #write(claim: Claim, ending: JobEnding, eventId: string): Promise<Written> {
    const { database, store, events, links, retention, linkKeyId } = this.options;
    return database.transaction(async (tx) => {
      const settled = await store.settle(tx, claim, ending, retention, linkKeyId);
      if (settled.outcome !== 'settled') return { outcome: settled.outcome, announced: [] };
      const { outcome, accountId, job } = settled;
      const event = jobEvent(eventId, job, links);
      return { outcome, announced: [await events.record(tx, event, { accountId, jobId: job.id })] };
    });
  }
}
