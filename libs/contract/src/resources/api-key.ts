import { z } from 'zod';
import { scopes } from '../routes/route.js';

const instant = z.iso.datetime();

/** The wire shape of an API key. */
export const apiKeySchema = z
  .strictObject({
    id: z.string(),
    object: z.literal('api_key'),
    name: z.string(),
    scopes: z.array(z.enum(scopes)),
    created_at: instant,
    last_used_at: instant.nullable().describe('To the minute'),
    revoked_at: instant.nullable(),
    secret: z.string().optional().describe('What Authorization: Bearer takes; shown once, at creation'),
  })
  .meta({ id: 'ApiKey' });
