import { basename } from 'node:path';
import { DocumentFailed } from '../document/document-failure.js';
import { isAllocationFailure } from '../document/guard.js';
import { operations } from '../operations.js';
import type { ChildAnswer, TaskMessage } from './protocol.js';

/** Runs one task and says how it ended; never throws. */
export async function runTask(
  { operation, options, inputs, outputDirectory, maxPages }: TaskMessage,
  report: (done: number, total: number) => void,
): Promise<ChildAnswer> {
  try {
    const declaration = operations[operation];
    const loaded = await declaration.load();
    const checked = declaration.optionsSchema.parse(options);
    const { outputs, warnings } = await loaded.run({ options: checked, inputs, outputDirectory, maxPages, report });
    return {
      type: 'completed',
      outputs: outputs.map(({ path, ...output }) => ({ ...output, file: basename(path) })),
      warnings: [...warnings],
    };
  } catch (error) {
    return answerTo(error);
  }
}

function answerTo(error: unknown): ChildAnswer {
  if (error instanceof DocumentFailed) return { type: 'failed', failure: error.failure };
  if (isAllocationFailure(error)) return { type: 'out_of_memory' };
  return { type: 'broken', reason: error instanceof Error ? error.message : String(error) };
}
