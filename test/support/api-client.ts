import type { JobView } from '#libs/domain';
import { eventually } from './eventually.js';

/** An answer of the API, its body as it was sent. */
export interface ApiAnswer {
  readonly status: number;
  readonly headers: Headers;
  readonly body: Buffer;
  /** The body parsed as JSON. */
  json<T = Record<string, unknown>>(): T;
}

/** A request and its answer, for whoever watches a client. */
export interface ApiExchange {
  readonly method: string;
  /** Path and query. */
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly answer: ApiAnswer;
}

/** A document to send. */
export interface SentFile {
  readonly name: string;
  readonly bytes: Uint8Array;
  readonly type?: string;
}

/** Headers of a create request. */
export interface CreateOptions {
  /** `Idempotency-Key` */
  readonly key?: string;
  /** Seconds of `Prefer: wait` */
  readonly wait?: number;
  readonly accept?: string;
}

/** A job to submit as multipart; `merge` when no operation is named. */
export interface MultipartJob extends CreateOptions {
  readonly operation?: string;
  readonly options?: object;
  readonly metadata?: object;
  readonly inputs?: readonly object[];
}

/** A job to submit as JSON. */
export interface JsonJob {
  readonly operation: string;
  readonly inputs: readonly object[];
  readonly options?: object;
  readonly metadata?: object;
}

interface SendOptions {
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: NonNullable<RequestInit['body']>;
  readonly signal?: AbortSignal;
}

const longestAnswerMs = 75_000;

/** What a client program does with the API, with plain fetch; every answer is given as it is, errors too. */
export class ApiClient {
  constructor(
    readonly url: string,
    readonly apiKey: string,
    private readonly watch: (exchange: ApiExchange) => void = () => undefined,
  ) {}

  /** Sends a request and reads its whole answer. @throws when there is none */
  async send(method: string, path: string, options: SendOptions = {}): Promise<ApiAnswer> {
    const headers = { authorization: `Bearer ${this.apiKey}`, ...options.headers };
    const response = await fetch(new URL(path, this.url), {
      method,
      headers,
      redirect: 'manual',
      signal: options.signal ?? AbortSignal.timeout(longestAnswerMs),
      ...(options.body === undefined ? {} : { body: options.body }),
    });
    const body = Buffer.from(await response.arrayBuffer());
    const answer: ApiAnswer = {
      status: response.status,
      headers: response.headers,
      body,
      json: <T>() => JSON.parse(body.toString('utf8')) as T,
    };
    this.watch({ method, path, headers, answer });
    return answer;
  }

  get(path: string, headers: Readonly<Record<string, string>> = {}): Promise<ApiAnswer> {
    return this.send('GET', path, { headers });
  }

  delete(path: string): Promise<ApiAnswer> {
    return this.send('DELETE', path);
  }

  /** PATCHes with a JSON body. */
  patch(path: string, body: unknown): Promise<ApiAnswer> {
    return this.send('PATCH', path, { headers: { 'content-type': 'application/json' }, body: JSON.stringify(body) });
  }

  /** POSTs a JSON body. */
  post(path: string, body: unknown, options: CreateOptions = {}): Promise<ApiAnswer> {
    const headers = { 'content-type': 'application/json', ...headersOf(options) };
    return this.send('POST', path, { headers, body: JSON.stringify(body) });
  }

  submit(job: JsonJob, options: CreateOptions = {}): Promise<ApiAnswer> {
    return this.post('/v1/jobs', job, options);
  }

  /** Submits a job whose documents are sent with it. */
  submitFiles(files: readonly SentFile[], job: MultipartJob = {}): Promise<ApiAnswer> {
    const form = new FormData();
    form.set('operation', job.operation ?? 'merge');
    for (const field of ['options', 'metadata', 'inputs'] as const) {
      if (job[field] !== undefined) form.set(field, JSON.stringify(job[field]));
    }
    for (const file of files) form.append('files', blobOf(file), file.name);
    return this.send('POST', '/v1/jobs', { headers: headersOf(job), body: form });
  }

  uploadFile(file: SentFile, options: CreateOptions = {}): Promise<ApiAnswer> {
    const form = new FormData();
    form.set('file', blobOf(file), file.name);
    return this.send('POST', '/v1/files', { headers: headersOf(options), body: form });
  }

  async job(id: string): Promise<JobView> {
    return (await this.get(`/v1/jobs/${id}`)).json<JobView>();
  }

  /** Waits until the job has ended, however it does. */
  async endedJob(id: string, withinMs = 20_000): Promise<JobView> {
    return eventually(
      async () => {
        const job = await this.job(id);
        return ['completed', 'failed', 'cancelled'].includes(job.state) ? job : undefined;
      },
      { withinMs, everyMs: 50, describe: `the end of ${id}` },
    ) as Promise<JobView>;
  }

  download(jobId: string, output = 0, headers: Readonly<Record<string, string>> = {}): Promise<ApiAnswer> {
    return this.get(`/v1/jobs/${jobId}/outputs/${output}`, headers);
  }

  createEndpoint(endpoint: object, options: CreateOptions = {}): Promise<ApiAnswer> {
    return this.post('/v1/webhook-endpoints', endpoint, options);
  }

  /** The first page of a list, at most 100 items. */
  async list<T = Record<string, unknown>>(path: string, query: Readonly<Record<string, string>> = {}): Promise<T[]> {
    const answer = await this.get(`${path}?${new URLSearchParams({ limit: '100', ...query }).toString()}`);
    if (answer.status !== 200) throw new Error(`GET ${path}: ${answer.status} ${answer.body.toString('utf8')}`);
    return answer.json<{ data: T[] }>().data;
  }

  async usage(): Promise<{ readonly data: readonly object[]; readonly total: { readonly jobs: number } }> {
    return (await this.get('/v1/usage')).json();
  }
}

function headersOf({ key, wait, accept }: CreateOptions): Record<string, string> {
  return {
    ...(key === undefined ? {} : { 'idempotency-key': key }),
    ...(wait === undefined ? {} : { prefer: `wait=${wait}` }),
    ...(accept === undefined ? {} : { accept }),
  };
}

function blobOf({ bytes, type = 'application/pdf' }: SentFile): Blob {
  return new Blob([new Uint8Array(bytes)], { type });
}
