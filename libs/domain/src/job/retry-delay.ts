const firstDelayMs = 1_000;
const factor = 4;

/** How long a job waits before its next attempt, in milliseconds: 1 s x 4^n after the (n+1)th failed attempt. */
export function jobRetryDelayMs(failedAttempts: number): number {
  return firstDelayMs * factor ** Math.max(0, failedAttempts - 1);
}
