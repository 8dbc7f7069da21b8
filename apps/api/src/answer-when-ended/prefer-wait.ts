const longestWaitSeconds = 60;

/**
 * The seconds of `Prefer: wait=N` (RFC 7240, section 4.3), clamped to 60; `null` when there is none or it is malformed.
 */
export function preferredWaitSeconds(prefer: string | readonly string[] | undefined): number | null {
  const preferences = [prefer ?? []].flat().flatMap((line) => line.split(','));
  for (const preference of preferences) {
    const seconds = /^\s*wait\s*=\s*"?(\d{1,20})"?\s*(;.*)?$/i.exec(preference)?.[1];
    if (seconds !== undefined) return Math.min(Number(seconds), longestWaitSeconds);
  }
  return null;
}
