/** The types of public events (contract section 3); `job.submitted` is the command on the jobs topic and not one of them. */
export const eventTypes = [
  'job.completed',
  'job.failed',
  'job.cancelled',
  'batch.completed',
  'endpoint.failing',
  'endpoint.disabled',
  'endpoint.recovered',
  'webhook.ping',
] as const;

/** One of {@link eventTypes}. */
export type EventType = (typeof eventTypes)[number];

/** The type of the command that tells workers of a new job. */
export const jobSubmitted = 'job.submitted';

/** Longest stored body of an event, in bytes; the table checks it too. */
export const longestEventBytes = 20_000;

/** Whether an endpoint's pattern (`job.completed`, `job.*`, `*`) selects an event type. */
export function selects(pattern: string, type: EventType): boolean {
  if (pattern === '*' || pattern === type) return true;
  return pattern.endsWith('.*') && type.startsWith(pattern.slice(0, -1));
}

/** Whether a text is a pattern that can ever select an event. */
export function isEventPattern(pattern: string): boolean {
  return eventTypes.some((type) => selects(pattern, type));
}
