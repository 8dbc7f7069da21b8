import { z } from 'zod';

/** What a process tells of itself on `/readyz`. */
export const readinessSchema = z
  .strictObject({
    status: z.enum(['ready', 'unavailable']),
    postgres: z.string(),
    kafka: z.enum(['off', 'connected', 'unreachable']),
    missing: z
      .array(z.string())
      .meta({ description: 'What the system lacks that the process would use, and works without.' }),
  })
  .meta({ id: 'Readiness' });
