import type { CallLimits } from '../client-options.js';
import type { AttemptWatch } from './attempt-watch.js';
import type { RequestBody } from './request-body.js';

/** A request, as it is sent each time. */
export interface Call<T> {
  readonly method: 'GET' | 'POST' | 'PATCH' | 'DELETE';
  /** With its query. */
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: RequestBody | null;
  /** Every POST has one. */
  readonly idempotencyKey: string | null;
  /** Reads an answer that is no refusal; when it fails, the answer did not arrive. */
  readonly read: (response: Response, watch: AttemptWatch) => Promise<T>;
  /** Whether what was read goes on receiving, under the watch that it was given. */
  readonly isStreamed: boolean;
  readonly limits: CallLimits;
  readonly signal: AbortSignal | undefined;
}
