import { randomUUID } from 'node:crypto';
import {
  type CallLimits,
  type CallOptions,
  limitsOf,
  type SubmitOptions,
  type WriteOptions,
} from '../client-options.js';
import { RequestRefusedError } from '../errors/request-refused-error.js';
import type { AttemptWatch } from './attempt-watch.js';
import type { Call } from './call.js';
import type { RequestBody } from './request-body.js';
import type { SendRequest } from './send-request.js';

/** What a request that creates or changes something brought. */
export interface Accepted<T> {
  readonly value: T;
  /** The key under which it was sent: the same request under it brings the same again. */
  readonly idempotencyKey: string;
  /** Whether it had been accepted before: then `value` is the answer of then. */
  readonly isReplayed: boolean;
  readonly requestId: string | null;
  /** How often it was sent. */
  readonly attempts: number;
}

/** An answer whose body is still to be read. */
export interface StreamedAnswer {
  readonly response: Response;
  readonly watch: AttemptWatch;
}

const mostWaitSeconds = 60;

/** The requests that the API knows: reading, writing under a key, deleting. */
export class Requests {
  constructor(
    private readonly sending: SendRequest,
    private readonly limits: CallLimits,
  ) {}

  /** Reads JSON. */
  async get<T>(path: string, options: CallOptions = {}): Promise<T> {
    const call = { ...this.#call('GET', path, options), read: readJson<T>, isStreamed: false };
    return (await this.sending.send(call)).value;
  }

  /** Reads bytes as the service has them, or a part of them. */
  async getBytes(
    path: string,
    headers: Readonly<Record<string, string>>,
    options: CallOptions = {},
  ): Promise<StreamedAnswer> {
    const read = async (response: Response, watch: AttemptWatch) => ({ response, watch });
    const asTheyAre = { accept: '*/*', 'accept-encoding': 'identity', ...headers };
    const call = { ...this.#call('GET', path, options), headers: asTheyAre, read, isStreamed: true };
    return (await this.sending.send(call)).value;
  }

  /** Creates or changes something under a key, which is made now when none is given. */
  async post<T>(path: string, body: RequestBody | null, options: SubmitOptions = {}): Promise<Accepted<T>> {
    const idempotencyKey = options.idempotencyKey ?? randomUUID();
    const { wait } = options;
    const call = this.#call('POST', path, { ...options, timeoutMs: this.#timeoutMs(options) });
    const headers = wait === undefined ? call.headers : { ...call.headers, prefer: `wait=${wait}` };
    const written = { ...call, headers, body, idempotencyKey, read: readJson<T>, isStreamed: false };
    const { value, isReplayed, requestId, attempts } = await this.sending.send(written);
    return { value, idempotencyKey, isReplayed, requestId, attempts };
  }

  /** Changes something to what the body says, which is the same however often it is sent. */
  async patch<T>(path: string, body: RequestBody, options: CallOptions = {}): Promise<T> {
    const call = { ...this.#call('PATCH', path, options), body, read: readJson<T>, isStreamed: false };
    return (await this.sending.send(call)).value;
  }

  /** Deletes something. When the answer to an earlier attempt was lost, finding nothing means that it was deleted. */
  async delete(path: string, options: CallOptions = {}): Promise<void> {
    const read = async (response: Response) => void (await response.arrayBuffer());
    try {
      await this.sending.send({ ...this.#call('DELETE', path, options), read, isStreamed: false });
    } catch (error) {
      if (!(error instanceof RequestRefusedError && error.status === 404 && error.attempts > 1)) throw error;
    }
  }

  #call(method: Call<unknown>['method'], path: string, options: CallOptions): Omit<Call<never>, 'read' | 'isStreamed'> {
    return {
      method,
      path,
      headers: { accept: 'application/json' },
      body: null,
      idempotencyKey: null,
      limits: limitsOf(options, this.limits),
      signal: options.signal,
    };
  }

  /** The service is silent while it holds an answer. */
  #timeoutMs({
    wait = 0,
    timeoutMs = this.limits.timeoutMs,
  }: WriteOptions & { readonly wait?: number | undefined }): number {
    return timeoutMs + Math.min(Math.max(wait, 0), mostWaitSeconds) * 1_000;
  }
}

async function readJson<T>(response: Response): Promise<T> {
  return JSON.parse(await response.text()) as T;
}
