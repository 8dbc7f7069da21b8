import type { EventType } from '#libs/domain';
import { z } from 'zod';
import { batchSchema } from './batch.js';
import { jobSchema } from './resources.js';

const instant = z.iso.datetime().describe('RFC 3339, UTC, with milliseconds');

/** What the event of a job's end tells: the job without its inputs, with the first of its outputs. */
const jobData = jobSchema.omit({ inputs: true }).extend({
  outputs_total: z.int().describe('How many outputs the job made; the first are in outputs'),
  outputs_url: z.url().nullable().describe('Where the job with all its outputs is, when some are left out'),
});

const batchData = batchSchema.extend({
  errors: z
    .array(z.strictObject({ job_id: z.string(), client_item_id: z.string(), code: z.string() }))
    .describe('The first of the items that failed'),
  errors_total: z.int(),
  jobs_url: z.url(),
});

const endpointData = z.strictObject({
  id: z.string(),
  object: z.literal('webhook_endpoint'),
  url: z.string().describe('Without user name and password'),
  state: z.string(),
  reason: z.string().nullable().describe('Why it is disabled; null in other events'),
  failing_since: instant.nullable().describe('Since when every attempt failed; null when none does'),
  sequence: z.int().describe('Grows with every change of the state of the endpoint'),
});

/** `data` of each type of event. */
export const eventDataSchemas = {
  'job.completed': jobData.extend({ state: z.literal('completed') }),
  'job.failed': jobData.extend({ state: z.literal('failed') }),
  'job.cancelled': jobData.extend({ state: z.literal('cancelled') }),
  'batch.completed': batchData,
  'endpoint.failing': endpointData,
  'endpoint.disabled': endpointData,
  'endpoint.recovered': endpointData,
  'webhook.ping': z.strictObject({ id: z.string(), object: z.literal('webhook_endpoint') }),
} as const satisfies Readonly<Record<EventType, z.ZodType>>;

/** The body of an event of a type, as webhooks and the events topic carry it. */
export function eventBodySchema<T extends EventType>(type: T) {
  return bodySchema(type, eventDataSchemas[type]);
}

/** The body of the command that tells workers of a new job. */
export const jobSubmittedSchema = bodySchema(
  'job.submitted',
  z.strictObject({ id: z.string(), object: z.literal('job'), operation: z.string() }),
);

function bodySchema<T extends string, D extends z.ZodType>(type: T, data: D) {
  return z.strictObject({
    id: z.string().describe('The id of the event, the same on every channel and every copy'),
    type: z.literal(type),
    timestamp: instant.describe('When it happened'),
    data,
  });
}
