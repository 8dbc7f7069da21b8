/** How a process spends its grace, in milliseconds; the parts add up to it. */
export interface Grace {
  /** Running work may go on. */
  readonly drainMs: number;
  /** What is not done by then is cut off and handed back or recorded. */
  readonly handBackMs: number;
  /** What the process has open is closed. */
  readonly closeMs: number;
}

const mostAfterDrainMs = 8_000;
const shareAfterDrain = 0.4;
const mostHandBackMs = 2_000;

/** Divides a grace. */
export function graceOf(graceMs: number): Grace {
  const afterDrainMs = Math.min(mostAfterDrainMs, graceMs * shareAfterDrain);
  const handBackMs = Math.min(mostHandBackMs, afterDrainMs / 2);
  return { drainMs: graceMs - afterDrainMs, handBackMs, closeMs: afterDrainMs - handBackMs };
}
