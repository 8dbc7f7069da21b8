import type { RateLimit } from '#libs/contract';
import type { RateWindow } from '#libs/persistence';

/** The header fields that tell of a budget. */
export type RateLimitHeaders = Readonly<Record<string, string>>;

/**
 * The state of a budget as draft-ietf-httpapi-ratelimit-headers-11 writes it (`RateLimit-Policy`, `RateLimit`: Structured Field lists), and as the
 * three fields of the drafts up to 06 do, which most clients read. Without a window all units are there, and the next request begins one.
 *
 * @param nowMs Unix milliseconds
 */
export function rateLimitHeaders(limit: RateLimit, window: RateWindow | null, nowMs: number): RateLimitHeaders {
  const { units, windowSeconds } = limit;
  const endsInMs = window === null ? 0 : window.endsAt.getTime() - nowMs;
  const isRunning = window !== null && endsInMs > 0;
  const remaining = isRunning ? Math.max(units - window.usedUnits, 0) : units;
  const resetSeconds = isRunning ? secondsUntil(window, nowMs) : windowSeconds;
  return {
    'ratelimit-policy': `"default";q=${units};w=${windowSeconds}`,
    ratelimit: `"default";r=${remaining};t=${resetSeconds}`,
    'ratelimit-limit': String(units),
    'ratelimit-remaining': String(remaining),
    'ratelimit-reset': String(resetSeconds),
  };
}

/** Whole seconds until a window has ended for certain, 1 or more. */
export function secondsUntil(window: RateWindow, nowMs: number): number {
  return Math.max(Math.ceil((window.endsAt.getTime() - nowMs) / 1_000), 1);
}
