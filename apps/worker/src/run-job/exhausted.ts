import type { JobEnding } from '#libs/persistence';

/** The end of a job whose attempts are all spent. */
export function exhausted(attempts: number): JobEnding {
  const message = `The job was given up after ${attempts} ${attempts === 1 ? 'attempt' : 'attempts'}, none of which came to an end.`;
  return { state: 'failed', error: { code: 'attempts_exhausted', message, retryable: true, input: null, limit: null } };
}
