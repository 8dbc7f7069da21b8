import { recoverableStates } from '#libs/domain';
import { z } from 'zod';
import { instant } from './declaration-parts.js';

/** The body of `POST /v1/webhook-endpoints/{id}/recover`. */
export const recoveryRequestSchema = z
  .strictObject({
    since: instant.unwrap().describe('RFC 3339; events that happened then or later'),
    until: instant.unwrap().nullable().default(null).describe('RFC 3339; events that happened before this'),
    states: z
      .array(z.enum(recoverableStates))
      .min(1)
      .max(recoverableStates.length)
      .default([...recoverableStates])
      .describe('Which events: those whose delivery ended so, and those that have none'),
  })
  .refine(({ since, until }) => until === null || Date.parse(since) < Date.parse(until), {
    path: ['until'],
    message: 'must be later than since',
  });

/** See {@link recoveryRequestSchema}. */
export type RecoveryRequest = z.output<typeof recoveryRequestSchema>;
