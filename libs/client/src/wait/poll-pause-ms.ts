const firstMs = 100;
const mostMs = 2_000;

/**
 * The pause after a look at something that has not ended: from 100 milliseconds to 2 seconds, of which up to a half is left out at random.
 *
 * @param look from 1
 * @param random from 0, below 1
 */
export function pollPauseMs(look: number, random: number): number {
  return Math.round(Math.min(mostMs, firstMs * 2 ** (look - 1)) * (1 - random / 2));
}
