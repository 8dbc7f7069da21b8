import { z } from 'zod';
import { jobRequestDocument, jobRequestSchema, type JobRequest } from './requests.js';

/** The most items of a batch. */
export const mostItems = 1_000;

const clientItemId = z.string().min(1).max(100);

/** The body of `POST /v1/batches`. The options of an item are checked against the schema of its operation. */
export const batchRequestSchema = z.strictObject({
  items: z
    .array(jobRequestSchema.extend({ client_item_id: clientItemId }))
    .min(1)
    .max(mostItems)
    .superRefine((items, context) => {
      const first = new Map<string, number>();
      items.forEach(({ client_item_id: id }, index) => {
        const earlier = first.get(id);
        if (earlier === undefined) return void first.set(id, index);
        const message = `${JSON.stringify(id)} is the client_item_id of item ${earlier} too`;
        context.addIssue({ code: 'custom', path: [index, 'client_item_id'], message });
      });
    }),
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
