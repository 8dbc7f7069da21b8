import { createHash } from 'node:crypto';
import type { History } from '../support/history.js';

/** A job as the API shows it, as far as it is checked. */
interface JobView {
  readonly id: string;
  readonly idempotency_key: string | null;
  readonly state: string;
  readonly attempt: number;
  readonly outputs: readonly {
    readonly index: number;
    readonly sha256: string;
    readonly pages: number;
    readonly url: string;
  }[];
}

const pageSize = 100;

/** Asks the API, when all is quiet, what there is: every job, the bytes of every output, and the usage. Writes it into the history. */
export async function readOutcome(apiUrl: string, apiKey: string, history: History): Promise<void> {
  const api = new Reader(apiUrl, apiKey);
  for await (const job of api.jobs()) {
    const { id: jobId, idempotency_key: idempotencyKey, state, attempt, outputs } = job;
    const pages = outputs.reduce((sum, output) => sum + output.pages, 0);
    history.append({ type: 'job', jobId, idempotencyKey, state, attempt, pages });
    for (const { index, sha256 } of outputs) {
      const receivedSha256 = await api.sha256Of(`/v1/jobs/${jobId}/outputs/${index}`);
      history.append({ type: 'output', jobId, index, sha256, receivedSha256 });
    }
  }
  const usage = await api.json<{ total: { jobs: number } }>('/v1/usage');
  history.append({ type: 'usage', jobs: usage.total.jobs });
}

class Reader {
  constructor(
    private readonly apiUrl: string,
    private readonly apiKey: string,
  ) {}

  async *jobs(): AsyncGenerator<JobView> {
    let cursor = '';
    do {
      const page = await this.json<{ data: JobView[]; next_cursor: string | null }>(
        `/v1/jobs?limit=${pageSize}${cursor === '' ? '' : `&cursor=${cursor}`}`,
      );
      yield* page.data;
      cursor = page.next_cursor ?? '';
    } while (cursor !== '');
  }

  async json<T>(path: string): Promise<T> {
    const response = await this.#get(path);
    if (!response.ok) throw new Error(`GET ${path}: ${response.status} ${await response.text()}`);
    return (await response.json()) as T;
  }

  /** Of the bytes, `''` when there are none to be had. */
  async sha256Of(path: string): Promise<string> {
    const response = await this.#get(path);
    const bytes = Buffer.from(await response.arrayBuffer());
    if (!response.ok || !bytes.subarray(0, 5).equals(Buffer.from('%PDF-'))) return '';
    return createHash('sha256').update(bytes).digest('hex');
  }

  #get(path: string): Promise<Response> {
    return fetch(`${this.apiUrl}${path}`, { headers: { authorization: `Bearer ${this.apiKey}` } });
  }
}
