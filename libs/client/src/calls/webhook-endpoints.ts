import type { CallOptions, SubmitOptions, WriteOptions } from '../client-options.js';
import { iteratePages } from '../request/iterate-pages.js';
import { pathOf, withQuery } from '../request/path.js';
import { jsonBody } from '../request/request-body.js';
import type { Accepted, Requests } from '../request/requests.js';
import type { Page, PageQuery } from '../wire/page.js';
import type { Delivery } from '../wire/delivery.js';
import type {
  SecretRotation,
  WebhookEndpoint,
  WebhookEndpointPatch,
  WebhookEndpointRequest,
} from '../wire/webhook-endpoint.js';

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

  /** Changes what is named in the patch; the next attempt goes by it. */
  update(endpointId: string, patch: WebhookEndpointPatch, options?: CallOptions): Promise<WebhookEndpoint> {
    return this.requests.patch(pathOf('webhook-endpoints', endpointId), jsonBody(patch), options);
  }

  /** Gives it a new `secret`, which only this answer, and its repetition under the same key, has. The old ones sign too for a while. */
  rotateSecret(
    endpointId: string,
    rotation: SecretRotation = {},
    options: WriteOptions = {},
  ): Promise<Accepted<WebhookEndpoint>> {
    return this.requests.post(pathOf('webhook-endpoints', endpointId, 'rotate-secret'), jsonBody(rotation), options);
  }

  /** Lets it get events again. */
  enable(endpointId: string, options: WriteOptions = {}): Promise<Accepted<WebhookEndpoint>> {
    return this.requests.post(pathOf('webhook-endpoints', endpointId, 'enable'), null, options);
  }

  /** Lets it get nothing more. */
  disable(endpointId: string, options: WriteOptions = {}): Promise<Accepted<WebhookEndpoint>> {
    return this.requests.post(pathOf('webhook-endpoints', endpointId, 'disable'), null, options);
  }

  /** Sends it a `webhook.ping`; with `wait` the delivery comes with its first attempt. */
  ping(endpointId: string, options: SubmitOptions = {}): Promise<Accepted<Delivery>> {
    return this.requests.post(pathOf('webhook-endpoints', endpointId, 'ping'), null, options);
  }

  delete(endpointId: string, options?: CallOptions): Promise<void> {
    return this.requests.delete(pathOf('webhook-endpoints', endpointId), options);
  }
}
