import { RequestError, type RequestFacts } from './request-error.js';

/**
 * No answer came, or none that can be read. Whether the service did what it was asked is not known: the same request under the same key tells.
 * `cause` is what went wrong last.
 */
export class ConnectionError extends RequestError {
  constructor(facts: RequestFacts, cause: unknown) {
    super(facts, `no answer: ${describe(cause)}`, { cause });
  }
}

/** What fetch throws says little; its cause says what happened. */
function describe(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  const { cause } = error;
  return cause instanceof Error ? `${error.message}: ${cause.message || cause.name}` : error.message;
}
