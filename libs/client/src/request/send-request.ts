import type { Fetch } from '../client-options.js';
import { ConnectionError } from '../errors/connection-error.js';
import { DeadlineExceededError } from '../errors/deadline-exceeded-error.js';
import { RequestAbortedError } from '../errors/request-aborted-error.js';
import type { RequestError, RequestFacts } from '../errors/request-error.js';
import { RequestRefusedError } from '../errors/request-refused-error.js';
import { UploadSourceError } from '../errors/upload-source-error.js';
import { type Attempt, type AttemptEnding, attemptRequest } from './attempt-request.js';
import type { Call } from './call.js';
import type { Clock } from './clock.js';
import { decideRetry, type FailedAttempt } from './decide-retry.js';

/** What a request brought. */
export interface Answer<T> {
  readonly value: T;
  /** Whether the request had been accepted before, and this is the answer of then. */
  readonly isReplayed: boolean;
  readonly requestId: string | null;
  readonly attempts: number;
}

/** The service, and how to reach it. */
export interface ServiceAddress {
  /** Without a slash at its end. */
  readonly url: string;
  readonly apiKey: string;
  readonly fetch: Fetch;
}

interface Failure {
  readonly error: RequestError;
  readonly failed: FailedAttempt;
}

/** Sends a request until it is answered, as often and as long as it may: each time the same bytes under the same key. */
export class SendRequest {
  constructor(
    private readonly service: ServiceAddress,
    private readonly clock: Clock,
  ) {}

  /**
   * @throws RequestRefusedError, ConnectionError, DeadlineExceededError, RequestAbortedError, UploadSourceError; TypeError for a key or
   * headers that cannot be sent
   */
  async send<T>(call: Call<T>): Promise<Answer<T>> {
    checkKey(call.idempotencyKey);
    checkRepeatable(call);
    const startedAt = this.clock.elapsed();
    const headers = headersOf(call, this.service.apiKey);
    let last: Failure | null = null;
    for (let number = 1; ; number += 1) {
      const remainingMs: number = call.limits.deadlineMs - (this.clock.elapsed() - startedAt);
      if (remainingMs <= 0) throw deadlineExceeded(call, number - 1, last);
      const ending = await attemptRequest(this.#attempt(call, headers, remainingMs));
      if (ending.kind === 'answered') return answerOf(ending, number);
      last = failureOf(call, ending, number, last);
      await this.#pauseAfter(call, last, startedAt);
    }
  }

  #attempt<T>(call: Call<T>, headers: Headers, remainingMs: number): Attempt<T> {
    const { url, fetch } = this.service;
    return { call, url: url + call.path, fetch, headers, remainingMs, now: () => this.clock.now() };
  }

  async #pauseAfter<T>(call: Call<T>, { error, failed }: Failure, startedAt: number): Promise<void> {
    const { retries, deadlineMs } = call.limits;
    const remainingMs = deadlineMs - (this.clock.elapsed() - startedAt);
    const decision = decideRetry(failed, { retries, remainingMs }, this.clock.random());
    if (decision.kind === 'give-up') {
      throw decision.because === 'deadline' ? deadlineExceeded(call, failed.attempt, { error, failed }) : error;
    }
    try {
      await this.clock.pause(decision.afterMs, call.signal);
    } catch (cause) {
      throw new RequestAbortedError(factsOf(call, failed.attempt), call.signal?.reason ?? cause);
    }
  }
}

function checkKey(idempotencyKey: string | null): void {
  if (idempotencyKey === null || /^[\x20-\x7e]*$/.test(idempotencyKey)) return;
  throw new TypeError(
    `the idempotency key ${JSON.stringify(idempotencyKey)} has other characters than printable ASCII`,
  );
}

function checkRepeatable<T>({ body, idempotencyKey, limits }: Call<T>): void {
  if (body === null || body.isRepeatable || limits.retries === 0) return;
  const what = 'a stream can be sent once only: give what opens it instead, or set retries to 0';
  throw new UploadSourceError(what, idempotencyKey);
}

function headersOf<T>({ headers, body, idempotencyKey }: Call<T>, apiKey: string): Headers {
  return new Headers({
    authorization: `Bearer ${apiKey}`,
    ...(body === null ? {} : { 'content-type': body.contentType }),
    ...(idempotencyKey === null ? {} : { 'idempotency-key': idempotencyKey }),
    ...headers,
  });
}

function answerOf<T>({ value, headers }: AttemptEnding<T> & { kind: 'answered' }, attempts: number): Answer<T> {
  const isReplayed = headers.get('idempotent-replayed') === 'true';
  return { value, isReplayed, requestId: headers.get('x-request-id'), attempts };
}

/** @throws what ends the call whatever may still be tried */
function failureOf<T>(
  call: Call<T>,
  ending: Exclude<AttemptEnding<T>, { kind: 'answered' }>,
  attempt: number,
  last: Failure | null,
): Failure {
  const facts = factsOf(call, attempt);
  if (ending.kind === 'refused') {
    const error = new RequestRefusedError(facts, ending.problem);
    return { error, failed: { attempt, advice: error.retry, retryAfterMs: error.retryAfterMs } };
  }
  const { cause } = ending;
  if (ending.kind === 'unreadable') throw new UploadSourceError(unreadable(cause), call.idempotencyKey, cause);
  if (ending.kind === 'aborted') throw new RequestAbortedError(facts, call.signal?.reason);
  if (ending.kind === 'too-late') throw deadlineExceeded(call, attempt, last);
  return { error: new ConnectionError(facts, cause), failed: { attempt, advice: 'same-key', retryAfterMs: null } };
}

function deadlineExceeded<T>(call: Call<T>, attempts: number, last: Failure | null): DeadlineExceededError {
  return new DeadlineExceededError(factsOf(call, attempts), call.limits.deadlineMs, last?.error);
}

function factsOf<T>({ method, path, idempotencyKey }: Call<T>, attempts: number): RequestFacts {
  return { method, path, idempotencyKey, attempts };
}

function unreadable(cause: unknown): string {
  return `what is to be uploaded cannot be read: ${cause instanceof Error ? cause.message : String(cause)}`;
}
