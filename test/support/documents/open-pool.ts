import { resolve } from 'node:path';
import { DocumentPool, type DocumentPoolLog, type DocumentPoolOptions } from '#libs/pdf';

const mebibyte = 2 ** 20;
const defaults = {
  size: 2,
  timeoutMs: 30_000,
  memoryBytes: 400 * mebibyte,
  maxPages: 10_000,
  maxOutputs: 10_000,
  maxOutputBytes: 2 ** 30,
};
const silent: DocumentPoolLog = { info: () => undefined, warn: () => undefined };

/** A pool whose processes run what was built, with one of them ready. Its tasks have their directories below `temporaryRoot`. */
export async function openPool(
  temporaryRoot: string,
  options: Partial<DocumentPoolOptions> = {},
): Promise<DocumentPool> {
  const childEntry = resolve('dist/libs/pdf/src/child/main.js');
  const pool = new DocumentPool({ ...defaults, log: silent, childEntry, ...options, temporaryRoot });
  await pool.warm();
  return pool;
}
