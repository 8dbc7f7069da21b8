import { createHash } from 'node:crypto';
import { setTimeout as pause } from 'node:timers/promises';
import { type ApiAnswer, ApiClient } from '../support/api-client.js';
import type { History } from '../support/history.js';
import type { Expectation, PlannedRequest, SourceDocument } from './plan-requests.js';
import type { SeededRandom } from './random.js';

/** How a client reaches the API. */
export interface ClientOptions {
  readonly apiUrls: readonly string[];
  readonly apiKey: string;
  readonly history: History;
  readonly random: SeededRandom;
  readonly signal: AbortSignal;
}

/** One create request, as it is sent each time. */
interface CreateRequest {
  readonly path: string;
  readonly key: string;
  readonly expects?: Expectation;
  readonly send: (api: ApiClient) => Promise<ApiAnswer>;
}

const leastPauseMs = 20;
const mostPauseMs = 400;

/**
 * A client as users are told to write it: every error of the network, every 5xx and a key that is in use are answered by the same request
 * under the same key, to whichever API answers.
 */
export class RetryingClient {
  readonly #apis: readonly ApiClient[];
  #requests = 0;

  constructor(private readonly options: ClientOptions) {
    this.#apis = options.apiUrls.map((url) => new ApiClient(url, options.apiKey));
  }

  /** Sends a job until it is accepted, and gives its id. @throws when it is refused, or the run is over */
  async submit(planned: PlannedRequest): Promise<string> {
    const { key, expects } = planned;
    const send = (api: ApiClient): Promise<ApiAnswer> => submitOnce(api, planned);
    return this.#created<{ id: string }>({ path: '/v1/jobs', key, expects, send }).then(({ id }) => id);
  }

  /** Uploads a document and gives its file id. */
  async upload({ name, bytes }: SourceDocument): Promise<string> {
    const key = `upload-${name}`;
    const send = (api: ApiClient): Promise<ApiAnswer> => api.uploadFile({ name, bytes }, { key });
    return this.#created<{ id: string }>({ path: '/v1/files', key, send }).then(({ id }) => id);
  }

  /** Creates a webhook endpoint for the events of jobs and gives its secret. */
  async createEndpoint(url: string): Promise<string> {
    const key = `endpoint-${url}`;
    const send = (api: ApiClient): Promise<ApiAnswer> => api.createEndpoint({ url, event_types: ['job.*'] }, { key });
    return this.#created<{ secret: string }>({ path: '/v1/webhook-endpoints', key, send }).then(({ secret }) => secret);
  }

  async #created<T>(request: CreateRequest): Promise<T> {
    const { random, signal } = this.options;
    for (;;) {
      const answer = await this.#sendOnce(request);
      if (answer !== undefined && answer.status < 400) return answer.json<T>();
      if (answer !== undefined && !isToBeRetried(answer)) {
        throw new Error(`${request.key} was refused: ${answer.status} ${answer.body.toString('utf8').slice(0, 300)}`);
      }
      await pause(random.integer(leastPauseMs, mostPauseMs), undefined, { signal });
    }
  }

  async #sendOnce({ path, key, expects, send }: CreateRequest): Promise<ApiAnswer | undefined> {
    const { history, random } = this.options;
    const api = this.#apis[random.integer(0, this.#apis.length - 1)];
    if (api === undefined) throw new Error('there is no API to send to');
    const request = `${key}#${(this.#requests += 1)}`;
    const about = expects === undefined ? {} : { expects };
    history.append({ type: 'request', request, method: 'POST', path, idempotencyKey: key, ...about });
    try {
      const answer = await send(api);
      history.append({ type: 'answer', request, ...factsOf(answer, path) });
      return answer;
    } catch (error) {
      history.append({ type: 'answer', request, error: causeOf(error) });
      return undefined;
    }
  }
}

function submitOnce(api: ApiClient, planned: PlannedRequest): Promise<ApiAnswer> {
  const { key, operation, options, isMultipart, documents } = planned;
  if (isMultipart) return api.submitFiles(documents, { key, operation, options });
  return api.submit({ operation, options, inputs: documents.map(({ fileId }) => ({ file_id: fileId })) }, { key });
}

function factsOf(answer: ApiAnswer, path: string) {
  const { status, headers, body } = answer;
  if (status >= 400) return { status, code: answer.json<{ code: string }>().code };
  const bodySha256 = createHash('sha256').update(body).digest('hex');
  const facts = { status, isReplay: headers.has('idempotent-replayed'), bodySha256 };
  return path === '/v1/jobs' ? { ...facts, jobId: answer.json<{ id: string }>().id } : facts;
}

function isToBeRetried(answer: ApiAnswer): boolean {
  if (answer.status >= 500) return true;
  return answer.status === 409 && answer.json<{ code: string }>().code === 'idempotency_key_in_use';
}

function causeOf(error: unknown): string {
  const { cause, message } = error as Error & { cause?: { code?: string; message?: string } };
  return cause?.code ?? cause?.message ?? message;
}
