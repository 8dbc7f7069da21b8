import { StorageFull } from './blob-errors.js';

const fullCodes: ReadonlySet<string> = new Set(['ENOSPC', 'EDQUOT']);

/** Whether an error is a failed system call with one of these codes. */
export function hasCode(error: unknown, ...codes: string[]): boolean {
  return typeof error === 'object' && error !== null && 'code' in error && codes.includes(String(error.code));
}

/** A full disk or quota becomes `StorageFull`; any other error stays itself. */
export function asStorageError(error: unknown): unknown {
  return hasCode(error, ...fullCodes) ? new StorageFull(error) : error;
}
