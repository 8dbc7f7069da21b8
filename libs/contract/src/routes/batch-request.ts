import { z } from 'zod';
import { jobRequestDocument, jobRequestSchema, type JobRequest } from './requests.js';

/** The most items of a batch. */
export const mostItems = 1_000;

const clientItemId = z.string().min(1).max(100);

/** The body of `POST /v1/batches`. The options of an item are checked against the schema of its operation, its name against the others. */
export const batchRequestSchema = z.strictObject({
  items: z
    .array(jobRequestSchema.extend({ client_item_id: clientItemId }))
    .min(1)
    .max(mostItems),
});

/** One item of a batch: a job, and the name that its sender has for it. */
export interface BatchItemRequest extends JobRequest {
  readonly client_item_id: string;
}

/** What `POST /v1/batches` takes, for documents only. */
export const batchRequestDocument = z.strictObject({
  items: z
    .array(jobRequestDocument.extend({ client_item_id: clientItemId.describe('unique within the batch') }))
    .min(1)
    .max(mostItems),
});
