import { batchStates } from '#libs/domain';
import { z } from 'zod';

const instant = z.iso.datetime();

/** The wire shape of a batch (contract section 9). */
export const batchSchema = z
  .strictObject({
    id: z.string(),
    object: z.literal('batch'),
    state: z.enum(batchStates),
    counts: z.strictObject({
      queued: z.int(),
      processing: z.int(),
      completed: z.int(),
      failed: z.int(),
      cancelled: z.int(),
    }),
    items: z.int(),
    created_at: instant,
    finished_at: instant.nullable(),
    expires_at: instant.nullable(),
  })
  .meta({ id: 'Batch' });
