import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { ampleBudget } from './ample-budget.js';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { merge, type MergeOptions } from '../../../libs/pdf/src/merge/merge.js';
import { runMerge } from '../../../libs/pdf/src/merge/run-merge.js';

/** A document to merge, what it is called, and which of its pages are taken, as a request says it; all of them without. */
export interface MergeInput {
  readonly bytes: Uint8Array;
  readonly name?: string;
  readonly pages?: string;
}

/** Merges documents as a job does, with the options that a request leaves out at their defaults. */
export async function mergeDocuments(
  inputs: readonly MergeInput[],
  options: Partial<MergeOptions> = {},
): Promise<{ readonly bytes: Uint8Array; readonly warnings: readonly string[] }> {
  const directory = await mkdtemp(join(tmpdir(), 'merge-documents-'));
  try {
    const files = await Promise.all(
      inputs.map(async ({ bytes, name, pages = null }, index) => {
        const path = join(directory, `input-${index}`);
        await writeFile(path, bytes);
        return { path, name: name ?? `${index}.pdf`, password: null, pages };
      }),
    );
    const run = { options: merge.optionsSchema.parse(options), inputs: files, outputDirectory: directory };
    const { outputs, warnings } = await runMerge({
      ...run,
      maxPages: 100_000,
      budget: ampleBudget(),
      report: () => undefined,
    });
    return { bytes: await readFile(outputs[0]?.path ?? ''), warnings };
  } finally {
    await rm(directory, { recursive: true, force: true });
  }
}
