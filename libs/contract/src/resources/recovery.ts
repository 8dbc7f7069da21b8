import { recoverableStates, recoveryStates } from '#libs/domain';
import { z } from 'zod';

const instant = z.iso.datetime().describe('RFC 3339, UTC, with milliseconds');

/** The wire shape of a recovery. */
export const recoverySchema = z
  .strictObject({
    id: z.string(),
    object: z.literal('recovery'),
    endpoint_id: z.string(),
    since: instant,
    until: instant.nullable(),
    states: z.array(z.enum(recoverableStates)),
    state: z.enum(recoveryStates),
    progress: z.strictObject({
      events: z.int().describe('Events it has looked at'),
      rearmed: z.int().describe('Deliveries it has made due again'),
      inserted: z.int().describe('Deliveries it has made'),
      reached_at: instant.describe('It has looked at every event before this'),
    }),
    created_at: instant,
    finished_at: instant.nullable(),
  })
  .meta({ id: 'Recovery' });
