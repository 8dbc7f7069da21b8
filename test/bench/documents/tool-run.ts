import { readdir, stat } from 'node:fs/promises';
import { join } from 'node:path';

/** What one run of a tool took and made. */
export interface ToolRun {
  readonly wallMs: number;
  /** Most resident memory of the process that did the work, in bytes. */
  readonly peakBytes: number;
  readonly outputBytes: number;
}

/** The bytes of all files in a directory. */
export async function bytesIn(directory: string): Promise<number> {
  const sizes = (await readdir(directory)).map(async (name) => (await stat(join(directory, name))).size);
  return (await Promise.all(sizes)).reduce((sum, size) => sum + size, 0);
}
