import type { JobError } from '#libs/domain';

/** An input could not be fetched. `error` is what the job fails with: at once, or after its last attempt when it is retryable. */
export class InputFailed extends Error {
  override readonly name = 'InputFailed';

  constructor(
    readonly error: JobError,
    options?: ErrorOptions,
  ) {
    super(error.message, options);
  }
}
