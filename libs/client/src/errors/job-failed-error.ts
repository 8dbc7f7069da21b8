import type { Job } from '../wire/job.js';
import { PdfonceError } from './pdfonce-error.js';

/** A job ended without its result. Its key keeps naming it: to try again, send the request under a new key. */
export class JobFailedError extends PdfonceError {
  readonly job: Job;
  /** The code of its error; `job_cancelled` when it was cancelled. */
  readonly code: string;
  /** Whether the same request under a new key may succeed. */
  readonly retryable: boolean;

  constructor(job: Job) {
    const { error } = job;
    const code = error?.code ?? (job.state === 'cancelled' ? 'job_cancelled' : 'unknown');
    const what = error === null ? code : `${code}: ${error.message}`;
    const key = job.idempotency_key === null ? '' : ` (idempotency key ${job.idempotency_key})`;
    super(`${job.id} ${job.state}: ${what}${key}`, job.idempotency_key);
    this.job = job;
    this.code = code;
    this.retryable = error?.retryable ?? false;
  }
}
