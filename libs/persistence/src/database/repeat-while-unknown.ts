import { backOffMs, pause } from '#libs/pace';
import { isLockTimeout, isRolledBack, isUnavailable } from './postgres-error.js';

/** How long to go on, and who is told of every error that is not thrown. */
export interface RepeatOptions {
  /** Ends the repetition: the last error is thrown. */
  readonly until: AbortSignal;
  readonly onError: (error: unknown) => void;
}

const backOff = { firstMs: 50, maxMs: 2_000 };
const mostOtherErrors = 5;

/**
 * Repeats a fenced write until it has an answer, as long as the database cannot be reached; its fence makes a repetition harmless. Any
 * other error is given a few tries and thrown then.
 */
export async function repeatWhileUnknown<T>(write: () => Promise<T>, { until, onError }: RepeatOptions): Promise<T> {
  let otherErrors = 0;
  for (let failures = 1; ; failures += 1) {
    try {
      return await write();
    } catch (error) {
      if (!isOutage(error)) otherErrors += 1;
      if (until.aborted || otherErrors >= mostOtherErrors) throw error;
      onError(error);
    }
    await pause(backOffMs(failures, backOff, Math.random()), until);
  }
}

function isOutage(error: unknown): boolean {
  return isUnavailable(error) || isLockTimeout(error) || isRolledBack(error);
}
