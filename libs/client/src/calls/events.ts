import type { CallOptions } from '../client-options.js';
import { iteratePages } from '../request/iterate-pages.js';
import { pathOf, withQuery } from '../request/path.js';
import type { Requests } from '../request/requests.js';
import type { Page } from '../wire/page.js';
import type { SentEvent } from '../wire/sent-event.js';

/** From where to list events, and which way. */
export interface EventQuery {
  /** `asc` is for polling: with the `next_cursor` that you stored as `after` no event is left out. `desc` when left out. */
  readonly order?: 'asc' | 'desc' | undefined;
  /** Only events of which no delivery was made, newest first. A page may have few, or none, and a `next_cursor`. */
  readonly undelivered?: boolean | undefined;
  /** With `undelivered`: only events that this endpoint selects and was not sent. */
  readonly endpoint_id?: string | undefined;
  /** `next_cursor` of the page before. */
  readonly after?: string | undefined;
  /** Entries of a page, 1 to 100. */
  readonly limit?: number | undefined;
}

/** The events of the account. */
export class Events {
  constructor(private readonly requests: Requests) {}

  get(eventId: string, options?: CallOptions): Promise<SentEvent> {
    return this.requests.get(pathOf('events', eventId), options);
  }

  /** One page; for polling, where its `next_cursor` is stored with what was done. */
  page(query: EventQuery = {}, options?: CallOptions): Promise<Page<SentEvent>> {
    const undelivered = query.undelivered === true ? 'true' : undefined;
    return this.requests.get(withQuery(pathOf('events'), { ...query, undelivered }), options);
  }

  /** All events there are now, from where it is told to begin; pages are read as they are needed. */
  list(query: EventQuery = {}, options?: CallOptions): AsyncGenerator<SentEvent, void> {
    return iteratePages((after) => this.page({ ...query, after }, options), query.after);
  }
}
