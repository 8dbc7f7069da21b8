import { PdfonceError } from './pdfonce-error.js';

/** What is to be uploaded cannot be read, or not as often as retries may need. */
export class UploadSourceError extends PdfonceError {
  constructor(what: string, idempotencyKey: string | null, cause?: unknown) {
    super(idempotencyKey === null ? what : `${what} (idempotency key ${idempotencyKey})`, idempotencyKey, { cause });
  }
}
