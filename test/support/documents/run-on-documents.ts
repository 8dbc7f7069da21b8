import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { OperationOutcome, OperationRun } from '../../../libs/pdf/src/operation.js';

/** A document to work on, with the pages to take of it; all without them. */
export interface GivenDocument {
  readonly bytes: Uint8Array;
  readonly pages?: string;
}

/** What an operation made: the bytes of its outputs, and its warnings. */
export interface MadeDocuments {
  readonly outputs: readonly Uint8Array[];
  readonly warnings: readonly string[];
}

/** Runs an operation in this process on documents that are held in memory. */
export async function runOnDocuments<Options>(
  run: (run: OperationRun<Options>) => Promise<OperationOutcome>,
  documents: readonly GivenDocument[],
  options: Options,
): Promise<MadeDocuments> {
  const directory = await mkdtemp(join(tmpdir(), 'run-on-documents-'));
  try {
    const inputs = documents.map(({ pages }, index) => {
      return { path: join(directory, `input-${index}`), name: `${index}.pdf`, password: null, pages: pages ?? null };
    });
    await Promise.all(inputs.map(({ path }, index) => writeFile(path, documents[index]?.bytes ?? '')));
    const outputDirectory = await mkdtemp(join(directory, 'out-'));
    const outcome = await run({ options, inputs, outputDirectory, maxPages: 10_000, report: () => undefined });
    return {
      outputs: await Promise.all(outcome.outputs.map(({ path }) => readFile(path))),
      warnings: outcome.warnings,
    };
  } finally {
    await rm(directory, { recursive: true, force: true });
  }
}
