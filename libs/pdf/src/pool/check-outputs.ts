import { lstat } from 'node:fs/promises';
import type { DocumentFailure } from '../document/failure/document-failure.js';
import { outputsTooLarge, tooManyOutputs } from '../document/failure/document-failure.js';
import type { OutputLimits } from '../document/write/output-budget.js';

/** What is wrong with outputs: a limit that the process did not hold, or what no sound process does. */
export type OutputProblem =
  | { readonly kind: 'beyond-limit'; readonly failure: DocumentFailure }
  | { readonly kind: 'foreign'; readonly reason: string };

/**
 * Looks at what a process says it made, without believing it: each a plain file that nothing else refers to, no file twice, all of them
 * within the limits. `null` when nothing is wrong.
 */
export async function checkOutputs(paths: readonly string[], limits: OutputLimits): Promise<OutputProblem | null> {
  if (paths.length > limits.maxOutputs)
    return { kind: 'beyond-limit', failure: tooManyOutputs(paths.length, limits.maxOutputs) };
  if (new Set(paths).size !== paths.length) return { kind: 'foreign', reason: 'one output was named twice' };
  let bytes = 0;
  for (const path of paths) {
    const found = await lstat(path).catch(() => null);
    if (found === null || !found.isFile() || found.nlink !== 1)
      return { kind: 'foreign', reason: 'an output is no plain file' };
    bytes += found.size;
  }
  if (bytes > limits.maxOutputBytes)
    return { kind: 'beyond-limit', failure: outputsTooLarge(bytes, limits.maxOutputBytes) };
  return null;
}
