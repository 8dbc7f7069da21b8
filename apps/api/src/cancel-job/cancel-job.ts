import { RequestRefused } from '#libs/contract';
import { batchView, jobView, type OutputLinks, typeId } from '#libs/domain';
import type { Announcer } from '#libs/messaging';
import { BatchReader, type EndJob, JobReader, type OutboxRow, type StoredAnswer, type Tx } from '#libs/persistence';
import { found } from '../http/found.js';
import { jsonAnswer } from '../http/json-answer.js';
import type { DecidedAnswer } from '../http/send-answer.js';
import type { CreateIntent } from '../idempotency/create-intent.js';
import type { Answered } from '../idempotency/create-work.js';
import type { DecideOnce } from '../idempotency/decide-once.js';

/** A request to cancel: what it names, and a check of the rest of it. */
export interface CancelRequest {
  /** UUID */
  readonly id: string;
  /** @throws RequestRefused */
  readonly check: () => void;
}

/** Ends jobs, and what is left of batches, before their time: key, end and answer become true in one transaction. */
export class CancelJob {
  constructor(
    private readonly decide: DecideOnce,
    private readonly endJob: EndJob,
    private readonly links: OutputLinks,
    private readonly announcer: Announcer,
  ) {}

  /** @throws RequestRefused `not_found`, `job_finished` */
  async cancelJob(intent: CreateIntent, { id: jobId, check }: CancelRequest): Promise<DecidedAnswer> {
    const { accountId } = intent.caller;
    return this.cancel(intent, check, async (tx) => {
      const { jobs, records } = await this.endJob.cancelJob(tx, accountId, jobId);
      const id = typeId('job', jobId);
      const job = found(await new JobReader(tx).find(accountId, jobId), id);
      if (jobs.length === 0) throw new RequestRefused('job_finished', `the job ${id} is ${job.state} already`);
      return this.announced(jsonAnswer(200, null, jobView(job, this.links)), records);
    });
  }

  /** @throws RequestRefused `not_found`, `batch_finished` */
  async cancelBatch(intent: CreateIntent, { id: batchId, check }: CancelRequest): Promise<DecidedAnswer> {
    const { accountId } = intent.caller;
    return this.cancel(intent, check, async (tx) => {
      const { jobs, records } = await this.endJob.cancelBatch(tx, accountId, batchId);
      const id = typeId('batch', batchId);
      const batch = found(await new BatchReader(tx).find(accountId, batchId), id);
      if (jobs.length === 0)
        throw new RequestRefused('batch_finished', `every job of the batch ${id} has ended already`);
      return this.announced(jsonAnswer(200, null, batchView(batch)), records);
    });
  }

  private async cancel(
    intent: CreateIntent,
    check: () => void,
    answerIn: (tx: Tx) => Promise<Answered>,
  ): Promise<DecidedAnswer> {
    return this.decide.decide(intent, async () => {
      check();
      return { answerIn };
    });
  }

  private announced(answer: StoredAnswer, records: readonly OutboxRow[]): Answered {
    return { answer, onCommit: () => this.announcer.announce(records) };
  }
}
