import { z } from 'zod';

/** How many entries a page has. */
export const limit = z.coerce.number().int().min(1).max(100).default(20);

/** Where the page before ended. */
export const cursor = z.string().max(200).optional();

/** The query parameters of every list. */
export const page = { limit, cursor };

/** A moment in a query. */
export const instant = z
  .union([z.iso.datetime({ offset: true }), z.iso.date()], {
    error: 'must be an instant such as 2026-11-01T00:00:00Z or a date such as 2026-11-01',
  })
  .optional()
  .describe('RFC 3339; a date is its first moment in UTC');

/** What every route that needs an API key may be refused for. */
export const readErrors = [
  'invalid_request',
  'unauthenticated',
  'scope_missing',
  'not_found',
  'unavailable',
  'internal_error',
] as const;

/** What a POST may be refused for, whatever its body is. */
export const keyedErrors = [
  ...readErrors,
  'idempotency_key_required',
  'idempotency_key_invalid',
  'idempotency_key_reused',
  'idempotency_key_in_use',
  'rate_limited',
] as const;

/** What a POST with a body may be refused for. */
export const createErrors = [...keyedErrors, 'unsupported_media_type', 'request_too_large'] as const;

/** What a POST that takes files may be refused for. */
export const uploadErrors = ['invalid_multipart', 'request_timeout', 'storage_full'] as const;

/** The header with which a POST is answered when its work has ended. */
export const preferWait = {
  Prefer: 'wait=N holds the answer until the work has ended, for at most N seconds, of which 60 count.',
} as const;
