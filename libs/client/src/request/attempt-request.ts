import type { Fetch } from '../client-options.js';
import { AttemptWatch } from './attempt-watch.js';
import type { Call } from './call.js';
import { type Problem, problemOf } from './problem.js';
import type { OpenedBody } from './request-body.js';

/** One sending of a request. */
export interface Attempt<T> {
  readonly call: Call<T>;
  readonly url: string;
  readonly fetch: Fetch;
  readonly headers: Headers;
  readonly remainingMs: number;
  /** Milliseconds since 1970. */
  readonly now: () => number;
}

/** How an attempt ended; `unreadable`: its body could not be read. */
export type AttemptEnding<T> =
  | { readonly kind: 'answered'; readonly value: T; readonly headers: Headers }
  | { readonly kind: 'refused'; readonly problem: Problem }
  | { readonly kind: 'unanswered' | 'unreadable' | 'aborted' | 'too-late'; readonly cause: unknown };

/** Sends a request once and reads its answer. Never rejects. */
export async function attemptRequest<T>(attempt: Attempt<T>): Promise<AttemptEnding<T>> {
  const { call, fetch, remainingMs } = attempt;
  const watch = new AttemptWatch({ silenceMs: call.limits.timeoutMs, remainingMs, signal: call.signal });
  const source: { unreadable?: { readonly cause: unknown } } = {};
  let isKept = false;
  try {
    const body = await openBody(call, watch, source);
    const response = await fetch(attempt.url, initOf(attempt, body, watch.signal));
    watch.touch();
    if (!response.ok) return { kind: 'refused', problem: problemOf(response, await response.text(), attempt.now()) };
    const value = await call.read(response, watch);
    isKept = call.isStreamed;
    return { kind: 'answered', value, headers: response.headers };
  } catch (error) {
    if (source.unreadable !== undefined) return { kind: 'unreadable', cause: source.unreadable.cause };
    return { kind: endingOf(watch), cause: watch.signal.aborted ? watch.signal.reason : error };
  } finally {
    if (isKept) watch.rest();
    else watch.end();
  }
}

async function openBody<T>(
  { body }: Call<T>,
  watch: AttemptWatch,
  source: { unreadable?: { readonly cause: unknown } },
): Promise<OpenedBody | null> {
  if (body === null) return null;
  const onUnreadable = (cause: unknown): void => void (source.unreadable ??= { cause });
  const onPiece = (): void => {
    if (watch.isOver) throw new Error('the attempt is over');
    watch.touch();
  };
  try {
    return await body.open({ onPiece, onUnreadable });
  } catch (error) {
    onUnreadable(error);
    throw error;
  }
}

/** A redirect is not followed: it would make a GET of a POST. */
function initOf<T>({ call, ...attempt }: Attempt<T>, body: OpenedBody | null, signal: AbortSignal): RequestInit {
  const headers = new Headers(attempt.headers);
  const init: RequestInit = { method: call.method, headers, signal, redirect: 'manual' };
  if (body === null) return init;
  if (body.sizeBytes !== null) headers.set('content-length', String(body.sizeBytes));
  return typeof body.content === 'string'
    ? { ...init, body: body.content }
    : { ...init, body: body.content, duplex: 'half' };
}

function endingOf({ endedBy }: AttemptWatch): 'unanswered' | 'aborted' | 'too-late' {
  if (endedBy === 'caller') return 'aborted';
  return endedBy === 'deadline' ? 'too-late' : 'unanswered';
}
