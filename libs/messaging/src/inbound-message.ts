import type { topics } from './topics.js';

/** A record as a handler gets it, from either transport. */
export interface InboundMessage {
  /** The event id (`ce_id`): the key for dedup. */
  readonly id: string;
  readonly type: string;
  readonly key: string;
  /** When it happened, RFC 3339. */
  readonly occurredAt: string;
  /** The parsed JSON value; not validated against any schema. */
  readonly data: unknown;
}

/** What handlers get by topic; types a handler's payload: `@EventPattern<TopicBatches>(topics.jobs)`. */
export type TopicBatches = Readonly<Record<(typeof topics)[keyof typeof topics], readonly InboundMessage[]>>;
