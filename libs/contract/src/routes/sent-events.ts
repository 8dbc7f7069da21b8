import type { EventType } from '#libs/domain';

/** The events that this version sends. */
export const sentEventTypes = [
  'job.completed',
  'job.failed',
  'job.cancelled',
  'batch.completed',
  'endpoint.disabled',
  'webhook.ping',
] as const satisfies readonly EventType[];

/** One of {@link sentEventTypes}. */
export type SentEventType = (typeof sentEventTypes)[number];
