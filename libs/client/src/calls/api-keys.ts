import type { CallOptions, WriteOptions } from '../client-options.js';
import { iteratePages } from '../request/iterate-pages.js';
import { pathOf, withQuery } from '../request/path.js';
import { jsonBody } from '../request/request-body.js';
import type { Accepted, Requests } from '../request/requests.js';
import type { ApiKey, ApiKeyRequest } from '../wire/api-key.js';
import type { Page, PageQuery } from '../wire/page.js';

/** The API keys of the account; they need the scope `admin`. */
export class ApiKeys {
  constructor(private readonly requests: Requests) {}

  /** Creates an API key; only this answer, and its repetition under the same key, has its `secret`. */
  create(key: ApiKeyRequest, options: WriteOptions = {}): Promise<Accepted<ApiKey>> {
    return this.requests.post(pathOf('api-keys'), jsonBody(key), options);
  }

  /** One page, newest first, revoked ones too. */
  page(query: PageQuery = {}, options?: CallOptions): Promise<Page<ApiKey>> {
    return this.requests.get(withQuery(pathOf('api-keys'), { ...query }), options);
  }

  /** All API keys, newest first, revoked ones too; pages are read as they are needed. */
  list(query: PageQuery = {}, options?: CallOptions): AsyncGenerator<ApiKey, void> {
    return iteratePages((cursor) => this.page({ ...query, cursor }, options), query.cursor);
  }

  revoke(keyId: string, options?: CallOptions): Promise<void> {
    return this.requests.delete(pathOf('api-keys', keyId), options);
  }
}
