import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { ampleBudget } from './ample-budget.js';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { operations } from '../../../libs/pdf/src/operations.js';

/** What an operation made of its inputs. */
export interface Edited {
  readonly bytes: Buffer;
  readonly name: string;
  readonly warnings: readonly string[];
  /** Each report: done, total. */
  readonly progress: ReadonlyArray<readonly [number, number]>;
}

/** Runs an operation that makes one document, in this process. */
export async function editDocument(
  operation: 'rotate' | 'watermark',
  options: object,
  ...contents: readonly Uint8Array[]
): Promise<Edited> {
  const declaration = operations[operation];
  const directory = await mkdtemp(join(tmpdir(), `${operation}-`));
  const progress: Array<readonly [number, number]> = [];
  try {
    const inputs = contents.map((_, index) => ({
      path: join(directory, `input-${index}`),
      name: `input-${index}.pdf`,
      password: null,
      pages: null,
    }));
    await Promise.all(inputs.map(({ path }, index) => writeFile(path, contents[index] ?? '')));
    const report = (done: number, total: number): void => void progress.push([done, total]);
    const run = {
      options: declaration.optionsSchema.parse(options),
      inputs,
      outputDirectory: directory,
      maxPages: 2_000,
      report,
    };
    const { outputs, warnings } = await (await declaration.load()).run({ ...run, budget: ampleBudget() });
    const [output] = outputs;
    if (output === undefined || outputs.length > 1) throw new Error('One document was expected.');
    return { bytes: await readFile(output.path), name: output.name, warnings, progress };
  } finally {
    await rm(directory, { recursive: true, force: true });
  }
}
