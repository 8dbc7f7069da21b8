import { z } from 'zod';
import { fileSchema } from '../resources/resources.js';
import { createErrors, readErrors, uploadErrors } from './declaration-parts.js';
import type { Route } from './route.js';

/** Uploaded files. */
export const fileRoutes = {
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
  deleteFile: {
    method: 'DELETE',
    path: '/v1/files/:file_id',
    summary: 'Delete a file; jobs that were accepted with it keep what they need',
    scope: 'jobs:write',
    isKeyed: false,
    answer: { status: 204, description: 'Deleted', schema: null },
    errors: readErrors,
  },
} as const satisfies Readonly<Record<string, Route>>;
