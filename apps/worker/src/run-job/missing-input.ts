import { type JobError, type JobState, typeId } from '#libs/domain';
import type { ClaimedInput, MissingOutput } from '#libs/persistence';

/** Why a job cannot be started: an input was to be the output of a job that ended without it. `null` when none is missing. */
export function missingInput(inputs: readonly ClaimedInput[]): JobError | null {
  for (const [index, { missing }] of inputs.entries()) {
    if (missing === null) continue;
    const message = `Input ${index} is output ${missing.output} of ${typeId('job', missing.jobId)}, ${cause(missing)}.`;
    return { code: 'input_failed', message, retryable: false, input: index, limit: null };
  }
  return null;
}

function cause({ state }: MissingOutput): string {
  return state === null ? 'which is not there any more' : causes[state];
}

const causes: Readonly<Record<JobState, string>> = {
  queued: 'which has not ended',
  processing: 'which has not ended',
  completed: 'which has no such output, or it has expired',
  failed: 'which failed',
  cancelled: 'which was cancelled',
};
