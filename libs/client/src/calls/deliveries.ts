import type { CallOptions, WriteOptions } from '../client-options.js';
import { iteratePages } from '../request/iterate-pages.js';
import { pathOf, withQuery } from '../request/path.js';
import type { Accepted, Requests } from '../request/requests.js';
import type { Delivery, DeliveryState } from '../wire/delivery.js';
import type { Page, PageQuery } from '../wire/page.js';

/** Which deliveries to list, and from where. */
export interface DeliveryQuery extends PageQuery {
  readonly state?: DeliveryState | undefined;
  readonly event_id?: string | undefined;
  readonly endpoint_id?: string | undefined;
}

/** The deliveries of webhooks. */
export class Deliveries {
  constructor(private readonly requests: Requests) {}

  /** A delivery with its attempts. */
  get(deliveryId: string, options?: CallOptions): Promise<Delivery> {
    return this.requests.get(pathOf('deliveries', deliveryId), options);
  }

  /** One page, newest first. */
  page(query: DeliveryQuery = {}, options?: CallOptions): Promise<Page<Delivery>> {
    return this.requests.get(withQuery(pathOf('deliveries'), { ...query }), options);
  }

  /** All deliveries that are selected, newest first; pages are read as they are needed. */
  list(query: DeliveryQuery = {}, options?: CallOptions): AsyncGenerator<Delivery, void> {
    return iteratePages((cursor) => this.page({ ...query, cursor }, options), query.cursor);
  }

  /** Sends the event of a delivery to its endpoint again, as a new delivery. */
  redeliver(deliveryId: string, options?: WriteOptions): Promise<Accepted<Delivery>> {
    return this.requests.post(pathOf('deliveries', deliveryId, 'redeliver'), null, options);
  }
}
