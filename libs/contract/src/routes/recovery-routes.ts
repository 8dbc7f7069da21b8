import { z } from 'zod';
import { recoverySchema } from '../resources/recovery.js';
import { deliverySchema, listSchema } from '../resources/resources.js';
import { createErrors, keyedErrors, page, readErrors } from './declaration-parts.js';
import { recoveryRequestSchema } from './recovery-request.js';
import type { Route } from './route.js';

/** Sending events again: one delivery, or all of a time to an endpoint. */
export const recoveryRoutes = {
  redeliver: {
    method: 'POST',
    path: '/v1/deliveries/:delivery_id/redeliver',
    summary: 'Send the event of a delivery to its endpoint again',
    scope: 'webhooks:manage',
    isKeyed: true,
    answer: { status: 202, description: 'The new delivery', schema: deliverySchema },
    errors: [...keyedErrors, 'endpoint_deleted', 'endpoint_disabled'],
  },
  recoverEndpoint: {
    method: 'POST',
    path: '/v1/webhook-endpoints/:endpoint_id/recover',
    summary: 'Send what an endpoint missed, in the background',
    scope: 'webhooks:manage',
    isKeyed: true,
    json: recoveryRequestSchema,
    answer: { status: 202, description: 'The recovery', schema: recoverySchema },
    errors: [...createErrors, 'invalid_json', 'endpoint_disabled'],
  },
  listRecoveries: {
    method: 'GET',
    path: '/v1/webhook-endpoints/:endpoint_id/recoveries',
    summary: 'List the recoveries of an endpoint, newest first',
    scope: 'webhooks:manage',
    isKeyed: false,
    query: z.strictObject(page),
    answer: { status: 200, description: 'A page of recoveries', schema: listSchema(recoverySchema) },
    errors: readErrors,
  },
  readRecovery: {
    method: 'GET',
    path: '/v1/webhook-endpoints/:endpoint_id/recoveries/:recovery_id',
    summary: 'Read a recovery and its progress',
    scope: 'webhooks:manage',
    isKeyed: false,
    answer: { status: 200, description: 'The recovery', schema: recoverySchema },
    errors: readErrors,
  },
  cancelRecovery: {
    method: 'POST',
    path: '/v1/webhook-endpoints/:endpoint_id/recoveries/:recovery_id/cancel',
    summary: 'End a recovery before it is done',
    scope: 'webhooks:manage',
    isKeyed: true,
    answer: { status: 200, description: 'The recovery as it ended', schema: recoverySchema },
    errors: [...keyedErrors, 'recovery_finished'],
  },
} as const satisfies Readonly<Record<string, Route>>;
