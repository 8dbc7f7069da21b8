import { pause } from './pause.js';

/** A rest of so many times what the work took leaves a quarter of the time for work. */
const rest = 3;

/**
 * Does a piece of work that nobody waits for, then rests for three times as long: however much of it there is, and however slow the machine, it takes
 * a quarter of the time at most.
 *
 * @param signal ends the rest
 */
export async function unhurried<T>(work: () => Promise<T>, signal: AbortSignal): Promise<T> {
  const beganAt = performance.now();
  try {
    return await work();
  } finally {
    await pause(rest * (performance.now() - beganAt), signal);
  }
}
