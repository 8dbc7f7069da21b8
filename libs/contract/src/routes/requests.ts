import { isEventPattern, isReservedHeader } from '#libs/domain';
import { z } from 'zod';
import { plainSentence } from '../errors/plain-sentence.js';
import { sentEventTypes } from './sent-events.js';

const mostMetadataEntries = 20;
const mostMetadataBytes = 4_000;

/** Up to 20 string pairs: name 40 characters, value 500, 4 kB in all; echoed, never interpreted. */
export const metadataSchema = z
  .record(z.string().min(1).max(40), z.string().max(500))
  .refine(
    (metadata) => Object.keys(metadata).length <= mostMetadataEntries,
    `must have at most ${mostMetadataEntries} entries`,
  )
  .refine(
    (metadata) => Buffer.byteLength(JSON.stringify(metadata)) <= mostMetadataBytes,
    `must have at most ${mostMetadataBytes} bytes in all`,
  );

/** More than any job makes. */
const mostOutputIndex = 1_000_000;

const fileInput = z.strictObject({ file_id: z.string() });
const jobInput = z.strictObject({ job_id: z.string(), output: z.int().min(0).max(mostOutputIndex).default(0) });
const urlInput = z.strictObject({ url: z.string() });
const partInput = z.strictObject({ part: z.int().min(0) });

/** One input of a job: exactly one of its forms. */
export const inputSchema = z.unknown().transform((value, context) => {
  const form = inputForms.find(({ name }) => typeof value === 'object' && value !== null && name in value);
  if (form === undefined) {
    context.addIssue({ code: 'custom', message: 'must be an object with one of file_id, job_id or part' });
    return z.NEVER;
  }
  const result = form.schema.safeParse(value, { error: plainSentence });
  if (result.success) return result.data;
  for (const issue of result.error.issues) context.addIssue({ ...issue });
  return z.NEVER;
});

const inputForms = [
  { name: 'file_id', schema: fileInput },
  { name: 'job_id', schema: jobInput },
  { name: 'url', schema: urlInput },
  { name: 'part', schema: partInput },
] as const;

/** See {@link inputSchema}. */
export type InputReference = z.output<(typeof inputForms)[number]['schema']>;

const mostInputs = 1_000;

/** The body of `POST /v1/jobs`. The options are checked against the schema of the operation. */
export const jobRequestSchema = z.strictObject({
  operation: z.string(),
  inputs: z.array(inputSchema).min(1).max(mostInputs),
  options: z.record(z.string(), z.unknown()).default({}),
  metadata: metadataSchema.default({}),
});

/** See {@link jobRequestSchema}. */
export interface JobRequest {
  readonly operation: string;
  readonly inputs: readonly InputReference[];
  readonly options: Readonly<Record<string, unknown>>;
  readonly metadata: Readonly<Record<string, string>>;
}

/** What `POST /v1/jobs` takes as JSON, for documents only: {@link inputSchema} has no JSON Schema of its own. */
export const jobRequestDocument = jobRequestSchema.extend({
  inputs: z
    .array(z.union([fileInput, jobInput]))
    .min(1)
    .max(mostInputs),
});

const headerName = /^[A-Za-z0-9!#$%&'*+.^_`|~-]+$/;
const headerValue = /^[\t\x20-\x7e]*$/;

const customHeaders = z
  .record(
    z
      .string()
      .max(100)
      .regex(headerName, 'is no header name')
      .refine((name) => !isReservedHeader(name), 'is the name of a header that the service sets'),
    z.string().max(1_000).regex(headerValue, 'must be printable ASCII'),
  )
  .refine((headers) => Object.keys(headers).length <= 20, 'must have at most 20 entries');

/** The body of `POST /v1/webhook-endpoints`. */
export const endpointRequestSchema = z.strictObject({
  url: z
    .string()
    .max(2_000)
    .refine((url) => URL.canParse(url), 'must be a URL'),
  event_types: z
    .array(z.string().refine(isEventPattern, `selects no event type; there are ${sentEventTypes.join(', ')}`))
    .min(1)
    .max(50)
    .default(['*']),
  description: z.string().max(500).nullable().default(null),
  headers: customHeaders.default({}),
  metadata: metadataSchema.default({}),
});

/** See {@link endpointRequestSchema}. */
export type EndpointRequest = z.output<typeof endpointRequestSchema>;
