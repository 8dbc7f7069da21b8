import type { AttemptOutcome } from '#libs/domain';

/** What an answer with this status means for the delivery: only 2xx delivers, redirects are not followed. */
export function outcomeOfStatus(statusCode: number): AttemptOutcome {
  if (statusCode >= 200 && statusCode < 300) return 'delivered';
  if (statusCode < 400) return 'redirected';
  if (statusCode === 410) return 'gone';
  return statusCode < 500 ? 'client_error' : 'server_error';
}
