import type { CallOptions, SubmitOptions, WriteOptions } from '../client-options.js';
import type { Clock } from '../request/clock.js';
import { iteratePages } from '../request/iterate-pages.js';
import { pathOf, withQuery } from '../request/path.js';
import { jsonBody } from '../request/request-body.js';
import type { Accepted, Requests } from '../request/requests.js';
import { pollUntilEnded, type WaitOptions } from '../wait/poll-until-ended.js';
import type { Batch } from '../wire/batch.js';
import type { BatchRequest } from '../wire/job-request.js';
import type { Job, JobState } from '../wire/job.js';
import type { Page, PageQuery } from '../wire/page.js';

/** Which jobs of a batch to list, and from where. */
export interface BatchJobQuery extends PageQuery {
  readonly state?: JobState | undefined;
}

/** The batches of the account. */
export class Batches {
  constructor(
    private readonly requests: Requests,
    private readonly clock: Clock,
  ) {}

  /** Submits up to 1,000 jobs, which are accepted or refused together. */
  create(batch: BatchRequest, options: SubmitOptions = {}): Promise<Accepted<Batch>> {
    return this.requests.post(pathOf('batches'), jsonBody(batch), options);
  }

  get(batchId: string, options?: CallOptions): Promise<Batch> {
    return this.requests.get(pathOf('batches', batchId), options);
  }

  /** One page of the jobs of a batch, in the order of its items. */
  jobsPage(batchId: string, query: BatchJobQuery = {}, options?: CallOptions): Promise<Page<Job>> {
    return this.requests.get(withQuery(pathOf('batches', batchId, 'jobs'), { ...query }), options);
  }

  /** The jobs of a batch, in the order of its items; pages are read as they are needed. */
  jobs(batchId: string, query: BatchJobQuery = {}, options?: CallOptions): AsyncGenerator<Job, void> {
    return iteratePages((cursor) => this.jobsPage(batchId, { ...query, cursor }, options), query.cursor);
  }

  /** Ends the jobs of a batch that have not ended. */
  cancel(batchId: string, options?: WriteOptions): Promise<Accepted<Batch>> {
    return this.requests.post(pathOf('batches', batchId, 'cancel'), null, options);
  }

  /**
   * Waits until every job of a batch has ended, and gives the batch as it is then. An outage of the service does not end the waiting.
   *
   * @throws DeadlineExceededError, RequestAbortedError, RequestRefusedError
   */
  async waitFor(batch: Batch | string, options: WaitOptions = {}): Promise<Batch> {
    if (typeof batch !== 'string' && hasEnded(batch)) return batch;
    const id = typeof batch === 'string' ? batch : batch.id;
    const read = (call: CallOptions) => this.get(id, call);
    return pollUntilEnded({ path: pathOf('batches', id), read, hasEnded }, options, this.clock);
  }
}

function hasEnded({ state }: Batch): boolean {
  return state === 'completed';
}
