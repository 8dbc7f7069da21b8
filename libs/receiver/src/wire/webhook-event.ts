import type { BatchEventData } from './batch-event.js';
import type { EndpointEventData } from './endpoint-event.js';
import type { JobEventData } from './job-event.js';

/** What every event has. */
interface EventOf<Type extends string, Data> {
  /** The same in every request for this event, to every endpoint: dedup on it. */
  readonly id: string;
  readonly type: Type;
  /** When it happened, RFC 3339 in UTC with milliseconds. Events come in no promised order. */
  readonly timestamp: string;
  readonly data: Data;
}

/** The events of each type. */
interface Events {
  'job.completed': JobEventData<'completed'>;
  'job.failed': JobEventData<'failed'>;
  'job.cancelled': JobEventData<'cancelled'>;
  'batch.completed': BatchEventData;
  'endpoint.failing': EndpointEventData;
  'endpoint.disabled': EndpointEventData;
  'endpoint.recovered': EndpointEventData;
  'webhook.ping': { readonly id: string; readonly object: 'webhook_endpoint' };
}

/** The types that this version knows. A later version of the service may send others: ignore what you do not know. */
export type WebhookEventType = keyof Events;

/** An event of the given type, of any when left out; `type` tells which. */
export type WebhookEvent<Type extends WebhookEventType = WebhookEventType> = {
  [Each in Type]: EventOf<Each, Events[Each]>;
}[Type];
