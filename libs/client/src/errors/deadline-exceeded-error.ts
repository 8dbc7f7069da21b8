import { RequestError, type RequestFacts } from './request-error.js';

/**
 * The time for all attempts is over, or would be before the next. `cause` is how the last attempt ended, where there was one. Whether the
 * service did what it was asked is not known: the same request under the same key tells.
 */
export class DeadlineExceededError extends RequestError {
  constructor(facts: RequestFacts, deadlineMs: number, cause?: unknown) {
    const last = cause instanceof Error ? `; last: ${cause.message}` : '';
    super(facts, `the deadline of ${deadlineMs} ms does not allow more${last}`, { cause });
  }
}
