import { deliveryStates, jobAttemptOutcomes } from '#libs/domain';
import { z } from 'zod';

const instant = z.iso.datetime();

/** The wire shape of what happened to a job, oldest entry first. */
export const jobHistorySchema = z
  .strictObject({
    object: z.literal('job_history'),
    job_id: z.string(),
    entries: z.array(
      z.discriminatedUnion('type', [
        z.strictObject({ type: z.literal('submitted'), at: instant }),
        z.strictObject({
          type: z.literal('attempt'),
          at: instant,
          number: z.int(),
          ended_at: instant.nullable(),
          outcome: z.enum(jobAttemptOutcomes).nullable().describe('null while the attempt is under way'),
        }),
        z.strictObject({ type: z.literal('event'), at: instant, event_id: z.string(), event_type: z.string() }),
        z.strictObject({
          type: z.literal('delivery'),
          at: instant,
          delivery_id: z.string(),
          event_id: z.string(),
          endpoint_id: z.string(),
          state: z.enum(deliveryStates),
          attempts: z.int(),
        }),
      ]),
    ),
  })
  .meta({ id: 'JobHistory' });
