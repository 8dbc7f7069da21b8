import type { ApiAnswer, ApiClient } from '../support/api-client.js';
import { samplePdf } from '../support/pdf-samples.js';

/** A request of each kind that makes something; its key is its name. */
export class Creations {
  private constructor(
    private readonly bytes: Uint8Array,
    private readonly fileId: string,
  ) {}

  /** Uploads the document that requests name. */
  static async prepare(api: ApiClient): Promise<Creations> {
    const bytes = await samplePdf([100]);
    const upload = await api.uploadFile({ name: 'source.pdf', bytes });
    return new Creations(bytes, upload.json<{ id: string }>().id);
  }

  /** By name; `key` is added to the name in each idempotency key. */
  all(key: string): Readonly<Record<'json' | 'multipart' | 'batch' | 'file' | 'endpoint', Send>> {
    const job = { operation: 'merge', inputs: [{ file_id: this.fileId }] };
    const items = ['x', 'y'].map((id) => ({ ...job, client_item_id: id }));
    const file = { name: 'a.pdf', bytes: this.bytes };
    const endpoint = { url: 'http://127.0.0.1:9/', event_types: ['webhook.ping'] };
    return {
      json: (api) => api.submit(job, { key: `json-${key}` }),
      multipart: (api) => api.submitFiles([file], { key: `multipart-${key}` }),
      batch: (api) => api.post('/v1/batches', { items }, { key: `batch-${key}` }),
      file: (api) => api.uploadFile(file, { key: `file-${key}` }),
      endpoint: (api) => api.createEndpoint(endpoint, { key: `endpoint-${key}` }),
    };
  }
}

export type Send = (api: ApiClient) => Promise<ApiAnswer>;

/** How many rows there are when each of {@link Creations} was made once, besides the document that they name. */
export const rowsOfAll = { jobs: 4, batches: 1, files: 1, endpoints: 1, keys: 5, commands: 4 };
