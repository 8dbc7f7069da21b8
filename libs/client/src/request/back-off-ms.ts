/** The longest pause before the first retry, and before any. */
export interface BackOffLimits {
  readonly firstMs: number;
  readonly mostMs: number;
}

const usual: BackOffLimits = { firstMs: 250, mostMs: 10_000 };

/**
 * The pause before the next attempt: exponential with full jitter.
 *
 * @param attempt number of the attempt that failed, from 1
 * @param random from 0, below 1
 */
export function backOffMs(attempt: number, random: number, { firstMs, mostMs }: BackOffLimits = usual): number {
  return Math.floor(random * Math.min(mostMs, firstMs * 2 ** (attempt - 1)));
}
