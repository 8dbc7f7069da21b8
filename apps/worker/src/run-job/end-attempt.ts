import { type JobError, jobRetryDelayMs } from '#libs/domain';
import { type ClaimedJob, type ClaimStore, type JobEnding, repeatWhileUnknown } from '#libs/persistence';
import type { Logger } from 'pino';
import { exhausted } from './exhausted.js';
import { logged } from './logged.js';
import type { RunningJob } from './running-job.js';
import type { SettleJob, SettleOutcome } from './settle-job.js';
import type { WorkResult } from './work-result.js';

/** What an attempt ended with, for the log and the metrics. `lost`: its job was taken from it or cancelled. */
export type AttemptEnd = 'completed' | 'failed' | 'settled-before' | 'requeued' | 'handed-back' | 'lost';

/** What ending an attempt works with. */
export interface EndAttemptOptions {
  readonly store: ClaimStore;
  readonly settleJob: SettleJob;
  readonly maxAttempts: number;
  /** Aborts when the process cannot wait for the database any longer. */
  readonly giveUp: AbortSignal;
  readonly log: Logger;
}

/** Writes what an attempt came to: the end of its job, its next attempt, or its return to the queue. */
export class EndAttempt {
  constructor(private readonly options: EndAttemptOptions) {}

  /** @throws the last error when the process ends before the database answers: the lease is then left to the rescue */
  async end(running: RunningJob, result: WorkResult): Promise<AttemptEnd> {
    const { job, stopReason } = running;
    switch (result.kind) {
      case 'completed':
        return this.#settle(job, { ...result, state: 'completed' });
      case 'failed':
        return this.#settle(job, { ...result, state: 'failed' });
      case 'broken':
        return this.#retry(job, result.error);
      case 'stopped':
        return stopReason === 'lost' ? 'lost' : this.#handBack(job);
    }
  }

  async #settle(job: ClaimedJob, ending: JobEnding): Promise<AttemptEnd> {
    switch (await this.#trySettle(job, ending)) {
      case 'settled':
        return ending.state;
      case 'settled-before':
        return 'settled-before';
      case 'superseded':
        return 'lost';
      case 'output-collected':
      case 'settle-refused':
        return this.#retry(job);
    }
  }

  /** A settlement that the database refuses is a defect; the job is not to hang on it. */
  async #trySettle(job: ClaimedJob, ending: JobEnding): Promise<SettleOutcome | 'settle-refused'> {
    const { settleJob, giveUp, log } = this.options;
    try {
      return await settleJob.settle(job, ending);
    } catch (error) {
      if (giveUp.aborted || ending.state === 'failed') throw error;
      log.error({ err: error, ...logged(job) }, 'job.settle-refused');
      return 'settle-refused';
    }
  }

  async #retry(job: ClaimedJob, error?: JobError): Promise<AttemptEnd> {
    const { maxAttempts, store } = this.options;
    if (job.attempt >= maxAttempts)
      return this.#settle(job, error === undefined ? exhausted(job.attempt) : { state: 'failed', error });
    const isRequeued = await this.#repeat(job, () => store.requeue(job, jobRetryDelayMs(job.attempt)));
    return isRequeued ? 'requeued' : 'lost';
  }

  async #handBack(job: ClaimedJob): Promise<AttemptEnd> {
    return (await this.#repeat(job, () => this.options.store.handBack(job))) ? 'handed-back' : 'lost';
  }

  #repeat(job: ClaimedJob, write: () => Promise<boolean>): Promise<boolean> {
    const { giveUp, log } = this.options;
    const onError = (error: unknown): void => log.warn({ err: error, ...logged(job) }, 'job.return-repeated');
    return repeatWhileUnknown(write, { until: giveUp, onError });
  }
}
