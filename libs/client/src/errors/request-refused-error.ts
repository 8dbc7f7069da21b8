import type { Problem } from '../request/problem.js';
import { adviceFor, type RetryAdvice } from '../request/retry-advice.js';
import { RequestError, type RequestFacts } from './request-error.js';

/** The service answered with a refusal, and asking again was of no use or not allowed any more. */
export class RequestRefusedError extends RequestError {
  readonly status: number;
  /** Stable; `null` when the answer was no problem document, as from a proxy. */
  readonly code: string | null;
  /** For people. */
  readonly detail: string;
  /** The values at fault; `pointer` is a JSON pointer into the body, or `query:` and a name. */
  readonly errors: Problem['errors'];
  /** Names the request in the log of the service. */
  readonly requestId: string | null;
  /** What may be done next. */
  readonly retry: RetryAdvice;
  /** How long the service asked to wait. */
  readonly retryAfterMs: number | null;

  constructor(facts: RequestFacts, problem: Problem) {
    const { status, code, detail, requestId } = problem;
    const request = requestId === null ? '' : `, request ${requestId}`;
    super(facts, `${status} ${code ?? 'without a code'}: ${detail}${request}`);
    this.status = status;
    this.code = code;
    this.detail = detail;
    this.errors = problem.errors;
    this.requestId = requestId;
    this.retry = adviceFor(status, code);
    this.retryAfterMs = problem.retryAfterMs;
  }
}
