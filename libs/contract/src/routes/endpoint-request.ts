import { eventTypes, isEventPattern, isReservedHeader, readUrl } from '#libs/domain';
import { z } from 'zod';
import { metadataSchema } from './requests.js';

const token = /^[A-Za-z0-9!#$%&'*+.^_`|~-]+$/;
const printable = /^[\t\x20-\x7e]*$/;
const mostHeaders = 20;

const headerName = z
  .string()
  .max(100)
  .regex(token, 'is no header name')
  .refine((name) => !isReservedHeader(name), 'is the name of a header that the service sets');

const headerValue = z.string().max(1_000).regex(printable, 'must be printable ASCII');

const customHeaders = z
  .record(headerName, headerValue)
  .refine((headers) => Object.keys(headers).length <= mostHeaders, `must have at most ${mostHeaders} entries`)
  .refine(
    (headers) => new Set(Object.keys(headers).map((name) => name.toLowerCase())).size === Object.keys(headers).length,
    'has a name twice: upper and lower case make no difference',
  );

const daySeconds = 86_400;
const longestScheduleSeconds = 14 * daySeconds;

const retrySchedule = z
  .array(z.int().min(1).max(daySeconds))
  .min(1)
  .max(20)
  .refine(
    (delays) => delays.reduce((sum, delay) => sum + delay, 0) <= longestScheduleSeconds,
    `must be at most ${longestScheduleSeconds} seconds in all`,
  )
  .describe('Seconds before each attempt after the first; null for the default');

const url = z
  .string()
  .max(2_000)
  .refine((text) => readUrl(text) !== null, 'must be a URL');

const eventPatterns = z
  .array(z.string().refine(isEventPattern, `selects no event type; there are ${eventTypes.join(', ')}`))
  .min(1)
  .max(50);

const description = z.string().max(500).nullable();

/** The body of `POST /v1/webhook-endpoints`. */
export const endpointRequestSchema = z.strictObject({
  url,
  event_types: eventPatterns.default(['*']),
  description: description.default(null),
  headers: customHeaders.default({}),
  metadata: metadataSchema.default({}),
  retry_schedule: retrySchedule.nullable().default(null),
});

/** See {@link endpointRequestSchema}. */
export type EndpointRequest = z.output<typeof endpointRequestSchema>;

/** The body of `PATCH /v1/webhook-endpoints/{id}`: a merge patch (RFC 7396), in which `null` takes a member back to what it is without being named. */
export const endpointPatchSchema = z.strictObject({
  url: url.optional(),
  event_types: eventPatterns.nullable().optional(),
  description: description.optional(),
  headers: z.record(headerName, headerValue.nullable()).nullable().optional(),
  metadata: z.record(z.string(), z.string().nullable()).nullable().optional(),
  retry_schedule: retrySchedule.nullable().optional(),
});

/** See {@link endpointPatchSchema}. */
export type EndpointPatch = z.output<typeof endpointPatchSchema>;

const longestOverlapSeconds = 7 * daySeconds;

/** The body of `POST /v1/webhook-endpoints/{id}/rotate-secret`. */
export const rotationRequestSchema = z.strictObject({
  overlap_seconds: z
    .int()
    .min(0)
    .max(longestOverlapSeconds)
    .default(daySeconds)
    .describe('For how long the secrets that are replaced go on signing'),
});
