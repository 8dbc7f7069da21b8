import type { IncomingHttpHeaders } from 'node:http';
import type { AttemptOutcome } from '#libs/domain';
import { networkFailure } from '#libs/egress';
import type { Dispatcher } from 'undici';
import { responseExcerpt } from './response-excerpt.js';

/** How a request ended: with the receiver's answer, with none, or because this process shuts down. */
export type SendResult =
  | {
      readonly kind: 'answered';
      readonly statusCode: number;
      /** The header as it came. */
      readonly retryAfter: string | null;
      readonly body: string;
    }
  | { readonly kind: 'failed'; readonly outcome: AttemptOutcome; readonly error: Error }
  | { readonly kind: 'cut_off' };

const mostResponseBytes = 64 * 1024;
/** More announcements than any server makes before its answer. */
const mostInterimAnswers = 16;
/** How long the rest of an answer is waited for: what it says does not count. */
const bodyTimeoutMs = 5_000;

/**
 * One request on the wire and what came back, for undici. The status line decides: once it is there, whatever ends the exchange ends it as
 * answered. `mayStart` is asked at the last moment before the request is written.
 */
export class Exchange implements Dispatcher.DispatchHandler {
  readonly result: Promise<SendResult>;
  readonly #resolve: (result: SendResult) => void;
  readonly #chunks: Buffer[] = [];
  #bytes = 0;
  #interimAnswers = 0;
  #answer: { statusCode: number; retryAfter: string | null } | undefined;
  #bodyTimer: NodeJS.Timeout | undefined;
  #controller: Dispatcher.DispatchController | undefined;
  #ended: Error | undefined;

  constructor(private readonly mayStart: () => boolean) {
    const { promise, resolve } = withResolvers<SendResult>();
    this.result = promise;
    this.#resolve = resolve;
  }

  /** Ends the exchange now, with this result if no answer has begun; a request that is not written yet never is. */
  end(result: SendResult): void {
    if (this.#ended !== undefined) return;
    const error = result.kind === 'failed' ? result.error : new Error('ended by the sender');
    this.#finish(error, result);
    this.#controller?.abort(error);
  }

  onRequestStart(controller: Dispatcher.DispatchController): void {
    this.#controller = controller;
    if (this.#ended !== undefined) controller.abort(this.#ended);
    else if (!this.mayStart()) this.end(failure('lease_lost', 'the lease ended before the request was written'));
  }

  onResponseStart(_controller: Dispatcher.DispatchController, statusCode: number, headers: IncomingHttpHeaders): void {
    if (statusCode < 200) {
      this.#interimAnswers += 1;
      if (this.#interimAnswers > mostInterimAnswers)
        this.end(failure('invalid_response', 'too many interim answers before the answer'));
      return;
    }
    this.#answer = { statusCode, retryAfter: [headers['retry-after']].flat()[0] ?? null };
    this.#bodyTimer = setTimeout(() => this.end(failure('timeout', 'the answer does not end')), bodyTimeoutMs);
  }

  onResponseData(_controller: Dispatcher.DispatchController, chunk: Buffer): void {
    this.#chunks.push(chunk);
    this.#bytes += chunk.length;
    if (this.#bytes >= mostResponseBytes) this.end(failure('invalid_response', 'the answer is too long'));
  }

  onResponseEnd(): void {
    const error = new Error('the answer has no status');
    this.#finish(error, { kind: 'failed', outcome: 'invalid_response', error });
  }

  onResponseError(_controller: Dispatcher.DispatchController, error: Error): void {
    this.#finish(error, { kind: 'failed', outcome: networkFailure(error), error });
  }

  #finish(error: Error, result: SendResult): void {
    if (this.#ended !== undefined) return;
    this.#ended = error;
    clearTimeout(this.#bodyTimer);
    this.#resolve(this.#answered() ?? result);
  }

  #answered(): SendResult | undefined {
    return this.#answer && { kind: 'answered', ...this.#answer, body: responseExcerpt(this.#chunks) };
  }
}

/** No answer, and why. */
export function failure(outcome: AttemptOutcome, reason: string): SendResult {
  return { kind: 'failed', outcome, error: new Error(reason) };
}

function withResolvers<T>(): { promise: Promise<T>; resolve: (value: T) => void } {
  let resolve: (value: T) => void = () => undefined;
  const promise = new Promise<T>((fulfil) => {
    resolve = fulfil;
  });
  return { promise, resolve };
}
