import type { CallOptions, SubmitOptions, WriteOptions } from '../client-options.js';
import { JobFailedError } from '../errors/job-failed-error.js';
import type { Clock } from '../request/clock.js';
import { iteratePages } from '../request/iterate-pages.js';
import { pathOf, withQuery } from '../request/path.js';
import { jsonBody } from '../request/request-body.js';
import type { Accepted, Requests } from '../request/requests.js';
import { type Upload, uploadBody } from '../upload/upload.js';
import type { FieldPart } from '../upload/multipart-body.js';
import { pollUntilEnded, type WaitOptions } from '../wait/poll-until-ended.js';
import type { JobRequest, UploadedJobRequest } from '../wire/job-request.js';
import type { Job, JobHistory, JobState } from '../wire/job.js';
import type { Page, PageQuery } from '../wire/page.js';

/** Which jobs to list, and from where. Instants are RFC 3339. */
export interface JobQuery extends PageQuery {
  readonly state?: JobState | undefined;
  readonly operation?: string | undefined;
  readonly idempotency_key?: string | undefined;
  readonly created_from?: string | undefined;
  readonly created_to?: string | undefined;
}

/** How to wait for a job. */
export interface WaitForJobOptions extends WaitOptions {
  /** Rejects with JobFailedError unless the job completes. */
  readonly throwOnFailure?: boolean | undefined;
}

/** The jobs of the account. */
export class Jobs {
  constructor(
    private readonly requests: Requests,
    private readonly clock: Clock,
  ) {}

  /** Submits a job on documents that the service has. */
  create(job: JobRequest, options: SubmitOptions = {}): Promise<Accepted<Job>> {
    return this.requests.post(pathOf('jobs'), jsonBody(job), options);
  }

  /** Submits a job and sends its documents along, each read while it is sent. */
  createWithFiles(
    job: UploadedJobRequest,
    files: readonly Upload[],
    options: SubmitOptions = {},
  ): Promise<Accepted<Job>> {
    return this.requests.post(pathOf('jobs'), uploadBody('files', files, fieldsOf(job)), options);
  }

  get(jobId: string, options?: CallOptions): Promise<Job> {
    return this.requests.get(pathOf('jobs', jobId), options);
  }

  /** One page, newest first. */
  page(query: JobQuery = {}, options?: CallOptions): Promise<Page<Job>> {
    return this.requests.get(withQuery(pathOf('jobs'), { ...query }), options);
  }

  /** All jobs that are selected, newest first; pages are read as they are needed. */
  list(query: JobQuery = {}, options?: CallOptions): AsyncGenerator<Job, void> {
    return iteratePages((cursor) => this.page({ ...query, cursor }, options), query.cursor);
  }

  /** Ends a job that has not ended. */
  cancel(jobId: string, options?: WriteOptions): Promise<Accepted<Job>> {
    return this.requests.post(pathOf('jobs', jobId, 'cancel'), null, options);
  }

  /** What happened to a job. */
  history(jobId: string, options?: CallOptions): Promise<JobHistory> {
    return this.requests.get(pathOf('jobs', jobId, 'history'), options);
  }

  /**
   * Waits until a job has ended, however it does, and gives it as it is then. An outage of the service does not end the waiting.
   *
   * @throws JobFailedError with `throwOnFailure`; DeadlineExceededError, RequestAbortedError, RequestRefusedError
   */
  async waitFor(job: Job | string, options: WaitForJobOptions = {}): Promise<Job> {
    const ended = typeof job !== 'string' && hasEnded(job) ? job : await this.#ended(job, options);
    if (options.throwOnFailure === true && ended.state !== 'completed') throw new JobFailedError(ended);
    return ended;
  }

  #ended(job: Job | string, options: WaitOptions): Promise<Job> {
    const id = typeof job === 'string' ? job : job.id;
    const read = (call: CallOptions) => this.get(id, call);
    return pollUntilEnded({ path: pathOf('jobs', id), read, hasEnded }, options, this.clock);
  }
}

function hasEnded({ state }: Job): boolean {
  return state === 'completed' || state === 'failed' || state === 'cancelled';
}

function fieldsOf({ operation, ...others }: UploadedJobRequest): FieldPart[] {
  const given = Object.entries(others).filter(([, value]) => value !== undefined);
  return [
    { name: 'operation', value: operation },
    ...given.map(([name, value]) => ({ name, value: JSON.stringify(value) })),
  ];
}
