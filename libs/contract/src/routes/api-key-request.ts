import { z } from 'zod';
import { scopes } from './route.js';

/** The body of `POST /v1/api-keys`. */
export const apiKeyRequestSchema = z.strictObject({
  name: z.string().min(1).max(100),
  scopes: z
    .array(z.enum(scopes))
    .min(1)
    .refine((given) => new Set(given).size === given.length, 'names a scope twice'),
});

/** See {@link apiKeyRequestSchema}. */
export type ApiKeyRequest = z.output<typeof apiKeyRequestSchema>;
