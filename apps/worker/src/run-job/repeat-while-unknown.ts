import { isLockTimeout, isRolledBack, isUnavailable } from '#libs/persistence';
import { setTimeout as sleep } from 'node:timers/promises';

const firstPauseMs = 50;
const longestPauseMs = 2_000;
const mostOtherErrors = 5;

/**
 * Repeats a fenced write until it has an answer, as long as the database cannot be reached; its fence makes a repetition harmless. Any
 * other error is given a few tries and thrown then.
 *
 * @param signal ends the repetition: the last error is thrown
 */
export async function repeatWhileUnknown<T>(
  write: () => Promise<T>,
  signal: AbortSignal,
  onError: (error: unknown) => void,
): Promise<T> {
  let otherErrors = 0;
  for (let tries = 0; ; tries += 1) {
    try {
      return await write();
    } catch (error) {
      if (!isOutage(error)) otherErrors += 1;
      if (signal.aborted || otherErrors >= mostOtherErrors) throw error;
      onError(error);
    }
    const pauseMs = Math.min(longestPauseMs, firstPauseMs * 2 ** Math.min(tries, 10));
    await sleep(pauseMs, undefined, { signal }).catch(() => undefined);
  }
}

function isOutage(error: unknown): boolean {
  return isUnavailable(error) || isLockTimeout(error) || isRolledBack(error);
}
