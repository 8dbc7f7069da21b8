import { basename } from 'node:path';
import { isAllocationFailure } from '../document/failure/allocation-failure.js';
import { corruptDocument, DocumentFailed, outputsTooLarge } from '../document/failure/document-failure.js';
import { OutputBudget } from '../document/write/output-budget.js';
import { operations } from '../operations.js';
import type { ChildAnswer, TaskMessage } from './protocol.js';

/** Runs one task and says how it ended; never throws. */
export async function runTask(task: TaskMessage, report: (done: number, total: number) => void): Promise<ChildAnswer> {
  const { operation, options, inputs, outputDirectory, maxPages } = task;
  try {
    process.chdir(task.temporaryDirectory);
    const declaration = operations[operation];
    const loaded = await declaration.load();
    const checked = declaration.optionsSchema.parse(options);
    const budget = new OutputBudget(task);
    const run = { options: checked, inputs, outputDirectory, maxPages, budget, report };
    const { outputs, warnings } = await loaded.run(run);
    return {
      type: 'completed',
      outputs: outputs.map(({ path, ...output }) => ({ ...output, file: basename(path) })),
      warnings: [...warnings],
    };
  } catch (error) {
    return answerTo(error, task);
  }
}

function answerTo(error: unknown, { maxOutputBytes }: TaskMessage): ChildAnswer {
  if (error instanceof DocumentFailed) return { type: 'failed', failure: error.failure };
  if (isAllocationFailure(error)) return { type: 'out_of_memory' };
  if (isStackOverflow(error)) return { type: 'failed', failure: corruptDocument(null) };
  if (isFileTooLarge(error)) return { type: 'failed', failure: outputsTooLarge(null, maxOutputBytes) };
  return { type: 'broken', reason: error instanceof Error ? error.message : String(error) };
}

/** What an operation does without recursion it does for documents of any shape; the rest overflows for no sound one. */
function isStackOverflow(error: unknown): boolean {
  return error instanceof RangeError && /call stack/i.test(error.message);
}

/** The system lets this process write no file that is larger than all outputs may be together. */
function isFileTooLarge(error: unknown): boolean {
  return error instanceof Error && 'code' in error && error.code === 'EFBIG';
}
