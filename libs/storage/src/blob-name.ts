import { InvalidBlobName } from './blob-errors.js';

const blobNamePattern = /^[a-z0-9][a-z0-9_-]*(\/[a-z0-9][a-z0-9_-]*)*$/;

/** Refuses every name that could mean a place outside the root, or two places on different file systems. */
export function assertBlobName(name: string): void {
  if (!blobNamePattern.test(name)) throw new InvalidBlobName(name);
}
