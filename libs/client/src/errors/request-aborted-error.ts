import { RequestError, type RequestFacts } from './request-error.js';

/**
 * The caller's signal ended the request; `cause` is its reason. Whether the service did what it was asked is not known: the same request under
 * the same key tells.
 */
export class RequestAbortedError extends RequestError {
  constructor(facts: RequestFacts, reason: unknown) {
    super(facts, 'ended by the signal of the caller', { cause: reason });
    this.name = 'AbortError';
  }
}
