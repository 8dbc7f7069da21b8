import { jobStates } from '#libs/domain';
import { z } from 'zod';
import { batchSchema } from '../resources/batch.js';
import { jobSchema, listSchema } from '../resources/resources.js';
import { createErrors, page, preferWait, readErrors } from './declaration-parts.js';
import { batchRequestDocument } from './batch-request.js';
import type { Route } from './route.js';

/** Batches of jobs. */
export const batchRoutes = {
  createBatch: {
    method: 'POST',
    path: '/v1/batches',
    summary: 'Submit up to 1,000 jobs as one',
    scope: 'jobs:write',
    isKeyed: true,
    json: batchRequestDocument,
    jsonMegabytes: 10,
    takesOperation: true,
    headers: preferWait,
    answer: { status: 202, description: 'The batch as it was accepted', schema: batchSchema },
    otherAnswers: [{ status: 200, description: 'With Prefer: wait, the batch as it ended', schema: batchSchema }],
    errors: [...createErrors, 'invalid_json', 'input_not_found'],
  },
  readBatch: {
    method: 'GET',
    path: '/v1/batches/:batch_id',
    summary: 'Read a batch',
    scope: 'jobs:read',
    isKeyed: false,
    answer: { status: 200, description: 'The batch', schema: batchSchema },
    errors: readErrors,
  },
  listBatchJobs: {
    method: 'GET',
    path: '/v1/batches/:batch_id/jobs',
    summary: 'List the jobs of a batch, in the order of its items',
    scope: 'jobs:read',
    isKeyed: false,
    query: z.strictObject({ ...page, state: z.enum(jobStates).optional() }),
    answer: { status: 200, description: 'A page of jobs', schema: listSchema(jobSchema) },
    errors: readErrors,
  },
  cancelBatch: {
    method: 'POST',
    path: '/v1/batches/:batch_id/cancel',
    summary: 'Cancel the jobs of a batch that have not ended',
    scope: 'jobs:write',
    isKeyed: true,
    answer: { status: 200, description: 'The batch, which has ended', schema: batchSchema },
    errors: [...createErrors, 'invalid_json', 'batch_finished'],
  },
} as const satisfies Readonly<Record<string, Route>>;
