import type { CallOptions, WriteOptions } from '../client-options.js';
import { iteratePages } from '../request/iterate-pages.js';
import { pathOf, withQuery } from '../request/path.js';
import { jsonBody } from '../request/request-body.js';
import type { Accepted, Requests } from '../request/requests.js';
import type { Page, PageQuery } from '../wire/page.js';
import type { WebhookEndpoint, WebhookEndpointRequest } from '../wire/webhook-endpoint.js';

/** Where the account has its webhooks sent. */
export class WebhookEndpoints {
  constructor(private readonly requests: Requests) {}

  /** Creates an endpoint; only this answer, and its repetition under the same key, has its `secret`. */
  create(endpoint: WebhookEndpointRequest, options: WriteOptions = {}): Promise<Accepted<WebhookEndpoint>> {
    return this.requests.post(pathOf('webhook-endpoints'), jsonBody(endpoint), options);
  }

  get(endpointId: string, options?: CallOptions): Promise<WebhookEndpoint> {
    return this.requests.get(pathOf('webhook-endpoints', endpointId), options);
  }

  /** One page, newest first. */
  page(query: PageQuery = {}, options?: CallOptions): Promise<Page<WebhookEndpoint>> {
    return this.requests.get(withQuery(pathOf('webhook-endpoints'), { ...query }), options);
  }

  /** All endpoints, newest first; pages are read as they are needed. */
  list(query: PageQuery = {}, options?: CallOptions): AsyncGenerator<WebhookEndpoint, void> {
    return iteratePages((cursor) => this.page({ ...query, cursor }, options), query.cursor);
  }

  delete(endpointId: string, options?: CallOptions): Promise<void> {
    return this.requests.delete(pathOf('webhook-endpoints', endpointId), options);
  }
}
