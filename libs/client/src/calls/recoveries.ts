import type { CallOptions, WriteOptions } from '../client-options.js';
import { iteratePages } from '../request/iterate-pages.js';
import { pathOf, withQuery } from '../request/path.js';
import { jsonBody } from '../request/request-body.js';
import type { Accepted, Requests } from '../request/requests.js';
import type { Page, PageQuery } from '../wire/page.js';
import type { Recovery, RecoveryRequest } from '../wire/recovery.js';

/** The sending of what webhook endpoints missed. */
export class Recoveries {
  constructor(private readonly requests: Requests) {}

  /** Has everything that an endpoint missed sent to it, in the background. What was delivered is not sent again. */
  start(endpointId: string, recovery: RecoveryRequest, options: WriteOptions = {}): Promise<Accepted<Recovery>> {
    return this.requests.post(pathOf('webhook-endpoints', endpointId, 'recover'), jsonBody(recovery), options);
  }

  /** A recovery and how far it is. */
  get(endpointId: string, recoveryId: string, options?: CallOptions): Promise<Recovery> {
    return this.requests.get(pathOf('webhook-endpoints', endpointId, 'recoveries', recoveryId), options);
  }

  /** One page, newest first. */
  page(endpointId: string, query: PageQuery = {}, options?: CallOptions): Promise<Page<Recovery>> {
    return this.requests.get(withQuery(pathOf('webhook-endpoints', endpointId, 'recoveries'), { ...query }), options);
  }

  /** All recoveries of an endpoint, newest first; pages are read as they are needed. */
  list(endpointId: string, query: PageQuery = {}, options?: CallOptions): AsyncGenerator<Recovery, void> {
    return iteratePages((cursor) => this.page(endpointId, { ...query, cursor }, options), query.cursor);
  }

  /** Ends a recovery before it is done. Deliveries that it has made due stay so. */
  cancel(endpointId: string, recoveryId: string, options?: WriteOptions): Promise<Accepted<Recovery>> {
    const path = pathOf('webhook-endpoints', endpointId, 'recoveries', recoveryId, 'cancel');
    return this.requests.post(path, null, options);
  }
}
