import { createHash } from 'node:crypto';
import { setTimeout as pause } from 'node:timers/promises';
import { type ApiAnswer, ApiClient } from '../support/api-client.js';
import type { History, HistoryFact } from '../support/history.js';
import type { PlannedRequest, SourceDocument } from './plan-requests.js';
import type { SeededRandom } from './random.js';

/** A process to send a request to. */
export interface Target {
  readonly name: string;
  readonly url: string;
  /** Aborted when no answer is to be waited for any longer. */
  readonly leaving?: AbortSignal;
}

/** How a client reaches the API. */
export interface ClientOptions {
  /** Where the next request goes; `undefined` while there is nobody to ask. */
  readonly target: () => Target | undefined;
  readonly apiKey: string;
  readonly history: History;
  readonly random: SeededRandom;
  readonly signal: AbortSignal;
  /** Between two attempts. */
  readonly leastPauseMs?: number;
  readonly mostPauseMs?: number;
  /** Share of the requests whose connection the client destroys itself, soon after it has sent them. */
  readonly impatientShare?: number;
}

/** One create request, as it is sent each time. */
export interface CreateRequest {
  readonly path: string;
  readonly key: string;
  /** Instead of the client's own. */
  readonly apiKey?: string;
  /** What is known of it beforehand. */
  readonly about?: Pick<Extract<HistoryFact, { type: 'request' }>, 'expects' | 'payload' | 'jobs'>;
  readonly send: (api: ApiClient, signal: AbortSignal) => Promise<ApiAnswer>;
}

const longestAnswerMs = 20_000;
const noTargetPauseMs = 10;
const longestPatienceMs = 25;

/**
 * A client as users are told to write it: every error of the network, every 5xx and a key that is in use are answered by the same request
 * under the same key, to whichever API answers.
 */
export class RetryingClient {
  #requests = 0;

  constructor(private readonly options: ClientOptions) {}

  /** Sends a job until it is accepted, and gives its id. @throws when it is refused, or the run is over */
  async submit(planned: PlannedRequest): Promise<string> {
    const { key, expects } = planned;
    const send = (api: ApiClient): Promise<ApiAnswer> => submitOnce(api, planned);
    return this.#created<{ id: string }>({ path: '/v1/jobs', key, about: { expects }, send }).then(({ id }) => id);
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

  /** Sends a request until its key is decided, and gives that answer, whatever it is. @throws when the run is over */
  async decide(request: CreateRequest): Promise<ApiAnswer> {
    const { random, signal, leastPauseMs = 20, mostPauseMs = 400 } = this.options;
    for (;;) {
      const target = this.options.target();
      const answer = target === undefined ? undefined : await this.#sendOnce(request, target);
      if (answer !== undefined && !isToBeRetried(answer)) return answer;
      const pauseMs = target === undefined ? noTargetPauseMs : random.integer(leastPauseMs, mostPauseMs);
      await pause(pauseMs, undefined, { signal });
    }
  }

  async #created<T>(request: CreateRequest): Promise<T> {
    const answer = await this.decide(request);
    if (answer.status < 400) return answer.json<T>();
    throw new Error(`${request.key} was refused: ${answer.status} ${answer.body.toString('utf8').slice(0, 300)}`);
  }

  async #sendOnce(create: CreateRequest, { name, url, leaving }: Target): Promise<ApiAnswer | undefined> {
    const { path, key, about = {} } = create;
    const { history, signal } = this.options;
    const request = `${key}#${(this.#requests += 1)}`;
    const api = new ApiClient(url, create.apiKey ?? this.options.apiKey);
    const closing = new AbortController();
    history.append({ type: 'request', request, method: 'POST', path, idempotencyKey: key, api: name, ...about });
    const answered = create
      .send(api, AbortSignal.any([closing.signal, AbortSignal.timeout(longestAnswerMs), signal]))
      .then(
        (answer) => {
          history.append({ type: 'answer', request, ...factsOf(answer, path) });
          return answer;
        },
        (error: unknown) => {
          if (!closing.signal.aborted) history.append({ type: 'answer', request, error: causeOf(error) });
          return undefined;
        },
      );
    return Promise.race([answered, this.#left(request, closing, answered, leaving)]);
  }

  /** Resolves when the request is given up; one whose process is stopped may still be answered later. */
  async #left(
    request: string,
    closing: AbortController,
    answered: Promise<unknown>,
    leaving: AbortSignal | undefined,
  ): Promise<undefined> {
    const { history, random, impatientShare = 0 } = this.options;
    const isImpatient = random.chance(impatientShare);
    const closes = isImpatient || random.chance(0.5);
    const patience = isImpatient ? pause(random.integer(0, longestPatienceMs)) : new Promise(() => undefined);
    const gone = leaving === undefined ? new Promise(() => undefined) : aborted(leaving, answered);
    const isAnswered = await Promise.race([answered.then(() => true), patience, gone]);
    if (isAnswered === true) return undefined;
    history.append({ type: 'answer', request, error: isImpatient ? 'the client left' : 'the process was stopped' });
    if (closes) closing.abort();
    return undefined;
  }
}

/** Resolves when the signal is aborted; forgets it when the other promise has ended. */
async function aborted(signal: AbortSignal, until: Promise<unknown>): Promise<void> {
  await new Promise<void>((resolve) => {
    const onAbort = (): void => resolve();
    signal.addEventListener('abort', onAbort, { once: true });
    void until.then(() => {
      signal.removeEventListener('abort', onAbort);
    });
  });
}

/** Takes one of these at random. */
export function anyOf(urls: readonly string[], random: SeededRandom): () => Target {
  return () => {
    const index = random.integer(0, urls.length - 1);
    return { name: `api-${index + 1}`, url: urls[index] ?? '' };
  };
}

function submitOnce(api: ApiClient, planned: PlannedRequest): Promise<ApiAnswer> {
  const { key, operation, options, isMultipart, documents } = planned;
  if (isMultipart) return api.submitFiles(documents, { key, operation, options });
  return api.submit({ operation, options, inputs: documents.map(({ fileId }) => ({ file_id: fileId })) }, { key });
}

function factsOf(answer: ApiAnswer, path: string) {
  const { status, headers, body } = answer;
  if (status >= 400) return { status, code: codeOf(answer) };
  const bodySha256 = createHash('sha256').update(body).digest('hex');
  const location = headers.get('location');
  const facts = { status, isReplay: headers.has('idempotent-replayed'), bodySha256, location };
  return path === '/v1/jobs' ? { ...facts, jobId: answer.json<{ id: string }>().id } : facts;
}

function isToBeRetried(answer: ApiAnswer): boolean {
  if (answer.status >= 500) return true;
  return answer.status === 409 && codeOf(answer) === 'idempotency_key_in_use';
}

function codeOf(answer: ApiAnswer): string {
  return answer.json<{ code: string }>().code;
}

function causeOf(error: unknown): string {
  const { cause, message } = error as Error & { cause?: { code?: string; message?: string } };
  return cause?.code ?? cause?.message ?? message;
}
