import { attemptOutcomes, deliveryStates, disabledReasons, endpointStates, jobStates } from '#libs/domain';
import { z } from 'zod';

const instant = z.iso.datetime().describe('RFC 3339, UTC, with milliseconds');
const sha256 = z.string().regex(/^[0-9a-f]{64}$/);

/** The wire shapes of what the API answers (contract section 9). */
export const jobSchema = z
  .strictObject({
    id: z.string(),
    object: z.literal('job'),
    operation: z.string(),
    state: z.enum(jobStates),
    attempt: z.int(),
    idempotency_key: z.string().nullable(),
    progress: z.strictObject({ done: z.int(), total: z.int(), unit: z.enum(['inputs', 'pages']) }),
    metadata: z.record(z.string(), z.string()),
    batch_id: z.string().nullable(),
    client_item_id: z.string().nullable(),
    created_at: instant,
    started_at: instant.nullable(),
    finished_at: instant.nullable(),
    expires_at: instant.nullable(),
    inputs: z.array(
      z.strictObject({
        name: z.string().nullable(),
        media_type: z.string().nullable(),
        size: z.int().nullable(),
        sha256: sha256.nullable(),
      }),
    ),
    outputs: z.array(
      z.strictObject({
        index: z.int(),
        name: z.string(),
        media_type: z.string(),
        size: z.int(),
        sha256,
        pages: z.int(),
        url: z.url(),
        download_url: z.url(),
        expires_at: instant,
      }),
    ),
    warnings: z.array(z.string()),
    error: z
      .strictObject({
        code: z.string(),
        message: z.string(),
        retryable: z.boolean(),
        input: z.int().nullable(),
        limit: z.strictObject({ name: z.string(), allowed: z.int(), actual: z.int().nullable() }).nullable(),
      })
      .nullable(),
  })
  .meta({ id: 'Job' });

export const fileSchema = z
  .strictObject({
    id: z.string(),
    object: z.literal('file'),
    name: z.string(),
    media_type: z.string(),
    size: z.int(),
    sha256,
    created_at: instant,
    expires_at: instant,
  })
  .meta({ id: 'File' });

export const endpointSchema = z
  .strictObject({
    id: z.string(),
    object: z.literal('webhook_endpoint'),
    url: z.string(),
    event_types: z.array(z.string()),
    description: z.string().nullable(),
    headers: z.record(z.string(), z.string()).describe('Values are masked'),
    metadata: z.record(z.string(), z.string()),
    retry_schedule: z
      .array(z.int())
      .nullable()
      .describe('Seconds before each attempt after the first; null for the default'),
    state: z.enum(endpointStates),
    disabled_at: instant.nullable(),
    disabled_reason: z.enum(disabledReasons).nullable(),
    secrets: z.array(z.strictObject({ id: z.string(), created_at: instant, expires_at: instant.nullable() })),
    failing_since: instant.nullable(),
    created_at: instant,
    secret: z.string().optional().describe('whsec_..., shown once, at creation and at rotation'),
  })
  .meta({ id: 'WebhookEndpoint' });

export const deliverySchema = z
  .strictObject({
    id: z.string(),
    object: z.literal('delivery'),
    event_id: z.string(),
    event_type: z.string(),
    endpoint_id: z.string(),
    state: z.enum(deliveryStates),
    attempts: z.array(
      z.strictObject({
        number: z.int(),
        started_at: instant,
        duration_ms: z.int().nullable(),
        outcome: z.enum(attemptOutcomes),
        status_code: z.int().nullable(),
        response_body: z.string().nullable(),
      }),
    ),
    next_attempt_at: instant.nullable(),
    redelivery_of: z.string().nullable(),
    created_at: instant,
  })
  .meta({ id: 'Delivery' });

export const eventSchema = z
  .strictObject({
    id: z.string(),
    object: z.literal('event'),
    type: z.string(),
    timestamp: instant,
    data: z.record(z.string(), z.unknown()),
  })
  .meta({ id: 'Event' });

const usageSums = { jobs: z.int(), pages: z.int(), input_bytes: z.int(), output_bytes: z.int() };

export const usageSchema = z
  .strictObject({
    object: z.literal('usage'),
    from: instant,
    to: instant,
    data: z.array(z.strictObject({ date: z.iso.date(), operation: z.string(), ...usageSums })),
    total: z.strictObject(usageSums),
  })
  .meta({ id: 'Usage' });

/** A page of a list, newest first. */
export function listSchema(item: z.ZodType) {
  return z.strictObject({ object: z.literal('list'), data: z.array(item), next_cursor: z.string().nullable() });
}
