import { deliveryStates, jobStates } from '#libs/domain';
import { z } from 'zod';
import {
  deliverySchema,
  endpointSchema,
  eventSchema,
  fileSchema,
  jobSchema,
  listSchema,
  usageSchema,
} from '../resources/resources.js';
import { endpointRequestSchema, jobRequestDocument } from './requests.js';
import type { Route } from './route.js';

const limit = z.coerce.number().int().min(1).max(100).default(20);
const cursor = z.string().max(200).optional();
const instant = z
  .union([z.iso.datetime({ offset: true }), z.iso.date()], {
    error: 'must be an instant such as 2026-11-01T00:00:00Z or a date such as 2026-11-01',
  })
  .optional()
  .describe('RFC 3339; a date is its first moment in UTC');
const page = { limit, cursor };

const readErrors = [
  'invalid_request',
  'unauthenticated',
  'scope_missing',
  'not_found',
  'unavailable',
  'internal_error',
] as const;
const keyErrors = [
  'idempotency_key_required',
  'idempotency_key_invalid',
  'idempotency_key_reused',
  'idempotency_key_in_use',
] as const;
const createErrors = [...readErrors, ...keyErrors, 'unsupported_media_type', 'request_too_large'] as const;
const uploadErrors = ['invalid_multipart', 'request_timeout', 'storage_full'] as const;

/** Every route of the API. */
export const routes = {
  createJob: {
    method: 'POST',
    path: '/v1/jobs',
    summary: 'Submit a job',
    scope: 'jobs:write',
    isKeyed: true,
    json: jobRequestDocument,
    multipart: z.strictObject({
      operation: z.string(),
      options: z.string().optional().describe('JSON'),
      metadata: z.string().optional().describe('JSON'),
      inputs: z.string().optional().describe('JSON; an entry {"part": n} names the n-th of files'),
      files: z.array(z.file()).optional(),
    }),
    takesOperation: true,
    headers: {
      Prefer: 'wait=N holds the answer until the job has ended, for at most N seconds, of which 60 count.',
      Accept: 'With Prefer: wait, application/pdf asks for the document itself when the job made exactly one.',
    },
    answer: { status: 202, description: 'The job as it was accepted', schema: jobSchema },
    otherAnswers: [
      {
        status: 200,
        description: 'With Prefer: wait, the job as it ended, or its document where Accept prefers that to JSON',
        schema: jobSchema,
        isDocument: true,
      },
    ],
    errors: [
      ...createErrors,
      ...uploadErrors,
      'invalid_json',
      'input_not_found',
      'input_kind_unavailable',
      'output_expired',
    ],
  },
  listJobs: {
    method: 'GET',
    path: '/v1/jobs',
    summary: 'List jobs, newest first',
    scope: 'jobs:read',
    isKeyed: false,
    query: z.strictObject({
      ...page,
      state: z.enum(jobStates).optional(),
      operation: z.string().optional(),
      idempotency_key: z.string().max(255).optional(),
      created_from: instant,
      created_to: instant,
    }),
    answer: { status: 200, description: 'A page of jobs', schema: listSchema(jobSchema) },
    errors: readErrors,
  },
  readJob: {
    method: 'GET',
    path: '/v1/jobs/:job_id',
    summary: 'Read a job',
    scope: 'jobs:read',
    isKeyed: false,
    answer: { status: 200, description: 'The job', schema: jobSchema },
    errors: readErrors,
  },
  downloadOutput: {
    method: 'GET',
    path: '/v1/jobs/:job_id/outputs/:index',
    summary: 'Download an output, whole or a range',
    scope: 'jobs:read',
    isKeyed: false,
    takesSignedLink: true,
    query: z.strictObject({
      expires: z.string().optional(),
      key: z.string().optional(),
      signature: z.string().optional(),
    }),
    headers: {
      Range: 'bytes=first-last asks for a part.',
      'If-Range': 'The ETag of the document of which the part is wanted.',
      'If-None-Match': 'The ETag of the document that is there already.',
    },
    answer: { status: 200, description: 'The document', schema: null, isDocument: true },
    otherAnswers: [
      { status: 206, description: 'The part that Range names', schema: null, isDocument: true },
      { status: 304, description: 'The document is the one that If-None-Match names', schema: null },
    ],
    errors: [...readErrors, 'output_expired', 'range_not_satisfiable'],
  },
  uploadFile: {
    method: 'POST',
    path: '/v1/files',
    summary: 'Upload a file for use in jobs',
    scope: 'jobs:write',
    isKeyed: true,
    multipart: z.strictObject({ file: z.file() }),
    answer: { status: 201, description: 'The file', schema: fileSchema },
    errors: [...createErrors, ...uploadErrors],
  },
  readFile: {
    method: 'GET',
    path: '/v1/files/:file_id',
    summary: 'Read what is known of a file',
    scope: 'jobs:read',
    isKeyed: false,
    answer: { status: 200, description: 'The file', schema: fileSchema },
    errors: readErrors,
  },
  createEndpoint: {
    method: 'POST',
    path: '/v1/webhook-endpoints',
    summary: 'Create a webhook endpoint',
    scope: 'webhooks:manage',
    isKeyed: true,
    json: endpointRequestSchema,
    answer: { status: 201, description: 'The endpoint with its secret', schema: endpointSchema },
    errors: [...createErrors, 'invalid_json', 'endpoint_address_refused', 'endpoint_limit_reached'],
  },
  listEndpoints: {
    method: 'GET',
    path: '/v1/webhook-endpoints',
    summary: 'List webhook endpoints, newest first',
    scope: 'webhooks:manage',
    isKeyed: false,
    query: z.strictObject(page),
    answer: { status: 200, description: 'A page of endpoints', schema: listSchema(endpointSchema) },
    errors: readErrors,
  },
  readEndpoint: {
    method: 'GET',
    path: '/v1/webhook-endpoints/:endpoint_id',
    summary: 'Read a webhook endpoint',
    scope: 'webhooks:manage',
    isKeyed: false,
    answer: { status: 200, description: 'The endpoint', schema: endpointSchema },
    errors: readErrors,
  },
  deleteEndpoint: {
    method: 'DELETE',
    path: '/v1/webhook-endpoints/:endpoint_id',
    summary: 'Delete a webhook endpoint',
    scope: 'webhooks:manage',
    isKeyed: false,
    answer: { status: 204, description: 'Deleted', schema: null },
    errors: readErrors,
  },
  listDeliveries: {
    method: 'GET',
    path: '/v1/deliveries',
    summary: 'List deliveries, newest first',
    scope: 'webhooks:manage',
    isKeyed: false,
    query: z.strictObject({
      ...page,
      event_id: z.string().optional(),
      endpoint_id: z.string().optional(),
      state: z.enum(deliveryStates).optional(),
    }),
    answer: { status: 200, description: 'A page of deliveries', schema: listSchema(deliverySchema) },
    errors: readErrors,
  },
  readDelivery: {
    method: 'GET',
    path: '/v1/deliveries/:delivery_id',
    summary: 'Read a delivery with its attempts',
    scope: 'webhooks:manage',
    isKeyed: false,
    answer: { status: 200, description: 'The delivery', schema: deliverySchema },
    errors: readErrors,
  },
  listEvents: {
    method: 'GET',
    path: '/v1/events',
    summary: 'List events; ascending order is safe to poll',
    scope: 'jobs:read',
    isKeyed: false,
    query: z.strictObject({ limit, order: z.enum(['asc', 'desc']).default('desc'), after: cursor }),
    answer: { status: 200, description: 'A page of events', schema: listSchema(eventSchema) },
    errors: readErrors,
  },
  readEvent: {
    method: 'GET',
    path: '/v1/events/:event_id',
    summary: 'Read an event',
    scope: 'jobs:read',
    isKeyed: false,
    answer: { status: 200, description: 'The event', schema: eventSchema },
    errors: readErrors,
  },
  readUsage: {
    method: 'GET',
    path: '/v1/usage',
    summary: 'Usage by operation and day (UTC)',
    scope: 'jobs:read',
    isKeyed: false,
    query: z.strictObject({ from: instant, to: instant }),
    answer: { status: 200, description: 'Usage', schema: usageSchema },
    errors: readErrors,
  },
} as const satisfies Readonly<Record<string, Route>>;

/** The name of a route. */
export type RouteName = keyof typeof routes;
