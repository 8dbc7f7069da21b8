import { StorageFull, StorageUnavailable } from './blob-errors.js';

const fullCodes = ['ENOSPC', 'EDQUOT'];
/** Read-only, forbidden, gone, broken, not reachable, or out of file descriptors. */
const unavailableCodes = [
  ...['EROFS', 'EACCES', 'EPERM', 'ENOENT', 'ENOTDIR', 'EIO', 'ENXIO', 'ENODEV'],
  ...['ESTALE', 'ENOTCONN', 'ETIMEDOUT', 'EHOSTDOWN', 'EMFILE', 'ENFILE'],
];

/** Whether an error is a failed system call with one of these codes. */
export function hasCode(error: unknown, ...codes: string[]): boolean {
  return typeof error === 'object' && error !== null && 'code' in error && codes.includes(String(error.code));
}

/** A full disk or quota becomes `StorageFull`, one that cannot be used `StorageUnavailable`; any other error stays itself. */
export function asStorageError(error: unknown): unknown {
  if (hasCode(error, ...fullCodes)) return new StorageFull(error);
  return hasCode(error, ...unavailableCodes) ? new StorageUnavailable(error) : error;
}
