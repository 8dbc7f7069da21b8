import { z } from 'zod';
import { apiKeySchema } from '../resources/api-key.js';
import { eventSchema, listSchema, usageSchema } from '../resources/resources.js';
import { apiKeyRequestSchema } from './api-key-request.js';
import { createErrors, cursor, instant, limit, page, readErrors } from './declaration-parts.js';
import type { Route } from './route.js';

/** What an account has besides its work: events, usage, API keys. */
export const accountRoutes = {
  listEvents: {
    method: 'GET',
    path: '/v1/events',
    summary: 'List events; ascending order is safe to poll',
    scope: 'jobs:read',
    isKeyed: false,
    query: z
      .strictObject({
        limit,
        order: z.enum(['asc', 'desc']).default('desc'),
        after: cursor,
        undelivered: z
          .enum(['true', 'false'])
          .default('false')
          .describe(
            'true: only events of which no delivery was made, newest first; a page may have few and a next_cursor',
          ),
        endpoint_id: z
          .string()
          .optional()
          .describe('With undelivered=true: only events that this endpoint selects and was not sent'),
      })
      .refine(({ undelivered, order }) => undelivered === 'false' || order === 'desc', {
        path: ['order'],
        message: 'must be desc with undelivered=true',
      })
      .refine(({ undelivered, endpoint_id }) => undelivered === 'true' || endpoint_id === undefined, {
        path: ['endpoint_id'],
        message: 'needs undelivered=true',
      }),
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
  createApiKey: {
    method: 'POST',
    path: '/v1/api-keys',
    summary: 'Create an API key',
    scope: 'admin',
    isKeyed: true,
    json: apiKeyRequestSchema,
    answer: { status: 201, description: 'The API key with its secret', schema: apiKeySchema },
    errors: [...createErrors, 'invalid_json'],
  },
  listApiKeys: {
    method: 'GET',
    path: '/v1/api-keys',
    summary: 'List the API keys of the account, newest first, revoked ones too',
    scope: 'admin',
    isKeyed: false,
    query: z.strictObject(page),
    answer: { status: 200, description: 'A page of API keys', schema: listSchema(apiKeySchema) },
    errors: readErrors,
  },
  revokeApiKey: {
    method: 'DELETE',
    path: '/v1/api-keys/:key_id',
    summary: 'Revoke an API key',
    scope: 'admin',
    isKeyed: false,
    answer: { status: 204, description: 'Revoked', schema: null },
    errors: readErrors,
  },
} as const satisfies Readonly<Record<string, Route>>;
