import { PdfonceError } from './pdfonce-error.js';

/** What was downloaded is not what the service has: what was read of it is to be thrown away. */
export class IntegrityError extends PdfonceError {
  readonly path: string;

  constructor(path: string, what: string) {
    super(`GET ${path}: ${what}`, null);
    this.path = path;
  }
}
