/** The bounds of a back-off: the first and the longest pause, in milliseconds. */
export interface BackOff {
  readonly firstMs: number;
  readonly maxMs: number;
}

/**
 * The pause before the next try: doubles with each failure up to `maxMs`, of which a random part of up to a half is taken away so that
 * many processes do not come back at once.
 *
 * @param failures how many tries failed in a row, from 1
 * @param random from [0, 1)
 */
export function backOffMs(failures: number, { firstMs, maxMs }: BackOff, random: number): number {
  const fullMs = Math.min(maxMs, firstMs * 2 ** Math.min(failures - 1, 30));
  return Math.round(fullMs * (1 - random / 2));
}
