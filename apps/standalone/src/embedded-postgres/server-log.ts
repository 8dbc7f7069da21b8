import { closeSync, copyFileSync, openSync, readSync, statSync, truncateSync } from 'node:fs';

const maxLogBytes = 8 * 1024 * 1024;
const tailBytes = 4096;

/** Opens the log for appending, which is what lets `boundServerLog` empty it while the server writes. */
export function openServerLog(file: string): number {
  return openSync(file, 'a', 0o600);
}

/** Size in bytes; 0 when there is no log. */
export function serverLogSize(file: string): number {
  return statSync(file, { throwIfNoEntry: false })?.size ?? 0;
}

/** Keeps the log and its one predecessor (`.1`) each to about 8 MiB. */
export function boundServerLog(file: string): void {
  if (serverLogSize(file) <= maxLogBytes) return;
  copyFileSync(file, `${file}.1`);
  truncateSync(file);
}

/** The last 4 KiB written since the log had `fromBytes` bytes. */
export function serverLogTail(file: string, fromBytes: number): string {
  const size = serverLogSize(file);
  const start = Math.max(Math.min(fromBytes, size), size - tailBytes);
  const buffer = Buffer.alloc(size - start);
  const descriptor = openSync(file, 'r');
  try {
    readSync(descriptor, buffer, 0, buffer.length, start);
  } finally {
    closeSync(descriptor);
  }
  return buffer.toString('utf8').trim();
}
