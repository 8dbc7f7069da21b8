import { jobStates } from '#libs/domain';
import { z } from 'zod';
import { jobHistorySchema } from '../resources/job-history.js';
import { jobSchema, listSchema } from '../resources/resources.js';
import { createErrors, instant, page, preferWait, readErrors, uploadErrors } from './declaration-parts.js';
import { jobRequestDocument } from './requests.js';
import type { Route } from './route.js';

/** Jobs and their outputs. */
export const jobRoutes = {
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
      inputs: z
        .string()
        .optional()
        .describe('JSON; an entry {"part": n} names the n-th of files, from 0, and may carry pages and password'),
      files: z.array(z.file()).optional(),
    }),
    takesOperation: true,
    headers: {
      ...preferWait,
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
    errors: [...createErrors, ...uploadErrors, 'invalid_json', 'input_not_found', 'output_expired'],
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
      idempotency_key: z.string().optional(),
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
  readJobHistory: {
    method: 'GET',
    path: '/v1/jobs/:job_id/history',
    summary: 'Read what happened to a job: its submission, attempts, event and deliveries',
    scope: 'jobs:read',
    isKeyed: false,
    answer: { status: 200, description: 'The history, oldest entry first', schema: jobHistorySchema },
    errors: readErrors,
  },
  cancelJob: {
    method: 'POST',
    path: '/v1/jobs/:job_id/cancel',
    summary: 'Cancel a job that has not ended',
    scope: 'jobs:write',
    isKeyed: true,
    answer: { status: 200, description: 'The cancelled job', schema: jobSchema },
    errors: [...createErrors, 'invalid_json', 'job_finished'],
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
} as const satisfies Readonly<Record<string, Route>>;
