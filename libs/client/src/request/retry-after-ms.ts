const httpDate = /^[A-Z][a-z]+,? .*(\d{4}|GMT)$/;

/**
 * Reads `Retry-After` (RFC 9110, section 10.2.3), which is a number of seconds or a date. A date is compared with the `Date` of the same answer
 * where there is one, so that the clock of the client does not matter.
 *
 * @param nowMs milliseconds since 1970
 * @returns milliseconds from now, never negative; `null` when the header is absent or cannot be read
 */
export function retryAfterMs(headers: Headers, nowMs: number): number | null {
  const value = headers.get('retry-after')?.trim() ?? '';
  if (/^\d+$/.test(value)) return Number(value) * 1_000;
  const atMs = readDate(value);
  return atMs === null ? null : Math.max(0, atMs - (readDate(headers.get('date') ?? '') ?? nowMs));
}

function readDate(value: string): number | null {
  const atMs = httpDate.test(value) ? Date.parse(value) : Number.NaN;
  return Number.isNaN(atMs) ? null : atMs;
}
