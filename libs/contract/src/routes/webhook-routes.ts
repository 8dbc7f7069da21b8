import { deliveryStates } from '#libs/domain';
import { z } from 'zod';
import { deliverySchema, endpointSchema, listSchema } from '../resources/resources.js';
import { createErrors, page, readErrors } from './declaration-parts.js';
import { endpointRequestSchema } from './requests.js';
import type { Route } from './route.js';

/** Webhook endpoints and deliveries. */
export const webhookRoutes = {
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
} as const satisfies Readonly<Record<string, Route>>;
