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
} from '#libs/persistence';
import type { Logger } from 'pino';
import { uuidv7 } from 'uuidv7';
import { metrics } from '../metrics.js';
import { repeatWhileUnknown } from './repeat-while-unknown.js';

/**
 * What settling came to. `already-settled`: an earlier commit of the same settlement went through, though its answer was lost. `zombie`: the
 * job was taken from this claim, and the result is dropped. `output-collected`: the object of an output is gone; nothing was written.
 */
export type SettleOutcome = 'settled' | 'already-settled' | 'zombie' | 'output-collected';

/** What settling works with. */
export interface SettleJobOptions {
  readonly database: Database;
  readonly store: ClaimStore;
  readonly events: EventStore;
  readonly links: OutputLinks;
  readonly announcer: Announcer;
  readonly retention: JobRetention;
  /** Aborts when the process cannot wait for the database any longer. */
  readonly giveUp: AbortSignal;
  readonly log: Logger;
}

/** Ends a job in one transaction, only under its claim: result, usage record, key expiry, event, deliveries, outbox row. */
export class SettleJob {
  constructor(private readonly options: SettleJobOptions) {}

  /** Repeats until the outcome is known. @throws the last error when the process ends first, or on a defect */
  async settle(claim: Claim, ending: JobEnding): Promise<SettleOutcome> {
    const { log, giveUp } = this.options;
    const eventId = uuidv7();
    const outcome = await repeatWhileUnknown(
      () => this.#settleOnce(claim, ending, eventId),
      giveUp,
      (error) => log.warn({ err: error, ...claim }, 'settle.repeated'),
    );
    metrics.settles.inc({ outcome });
    if (outcome === 'zombie') log.warn({ ...claim, state: ending.state }, 'settle.zombie');
    return outcome;
  }

  async #settleOnce(claim: Claim, ending: JobEnding, eventId: string): Promise<SettleOutcome> {
    const { database, store, announcer } = this.options;
    try {
      const record = await this.#write(claim, ending, eventId);
      if (record !== null) {
        await reach('job.after-settle');
        announcer.announce([record]);
        return 'settled';
      }
    } catch (error) {
      if (brokenConstraint(error) === 'job_outputs_object_exists') return 'output-collected';
      throw error;
    }
    return (await store.whyLost(database, claim)) === 'settled' ? 'already-settled' : 'zombie';
  }

  async #write(claim: Claim, ending: JobEnding, eventId: string): Promise<OutboxRow | null> {
    const { database, store, events, links, retention } = this.options;
    return database.transaction(async (tx) => {
      const settled = await store.settle(tx, claim, ending, retention);
      if (settled === null) return null;
      const { accountId, job } = settled;
      return events.record(tx, jobEvent(eventId, job, links), { accountId, jobId: job.id });
    });
  }
}
