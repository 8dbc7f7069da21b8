import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import type { ChildAnswer } from '../child/protocol.js';
import type { DocumentFailure } from '../document/failure/document-failure.js';
import { memoryLimit, timeLimit } from '../document/failure/document-failure.js';
import type { OutputFile } from '../operation.js';
import { checkOutputs } from './check-outputs.js';
import type { ChildEnd, DocumentChild } from './document-child.js';
import type { DocumentResult, DocumentTask } from './document-task.js';
import type { TaskLimits, WatchOptions } from './task-watch.js';
import { TaskWatch } from './task-watch.js';
import { createTaskDirectory } from './work-directory.js';

/** Within which bounds a task runs, and below which directory it may leave what it needs only for itself. */
export interface RunOptions extends WatchOptions {
  readonly temporaryRoot: string;
}

/**
 * Runs one task in a child that is ready. When the child had to be ended by force, it is gone before this resolves; so is, always, the
 * temporary directory of the task.
 */
export async function runInChild(
  child: DocumentChild,
  task: DocumentTask,
  options: RunOptions,
  signal: AbortSignal | undefined,
): Promise<DocumentResult> {
  const temporaryDirectory = await createTaskDirectory(options.temporaryRoot);
  try {
    return await runWatched(child, { task, temporaryDirectory }, options, signal);
  } finally {
    await rm(temporaryDirectory, { recursive: true, force: true, maxRetries: 3 });
  }
}

async function runWatched(
  child: DocumentChild,
  { task, temporaryDirectory }: { readonly task: DocumentTask; readonly temporaryDirectory: string },
  limits: WatchOptions,
  signal: AbortSignal | undefined,
): Promise<DocumentResult> {
  const { operation, options, inputs, outputDirectory } = task;
  const { maxPages, maxOutputs, maxOutputBytes } = limits;
  const message = {
    ...{ operation, options, inputs: [...inputs], outputDirectory, temporaryDirectory },
    ...{ maxPages, maxOutputs, maxOutputBytes },
  };
  const watch = new TaskWatch(child, limits, signal);
  try {
    const answer = await child.ask(message, (done, total) => task.onProgress?.(done, total));
    if (watch.verdict === null)
      return await resultOf(child, explained(answer, limits.isBounded || watch.wasFull), task, limits);
    await child.ended;
    return watch.verdict;
  } finally {
    if (watch.stop()) child.spend();
  }
}

/** Native code that dies of itself has been refused memory, where there is a bound that refuses it or little was left. */
function explained(answer: ChildAnswer | ChildEnd, wasShort: boolean): ChildAnswer | ChildEnd {
  return answer.type === 'ended' && answer.diedBySignal && wasShort ? { ...answer, cause: 'memory' } : answer;
}

async function resultOf(
  child: DocumentChild,
  answer: ChildAnswer | ChildEnd,
  task: DocumentTask,
  limits: TaskLimits,
): Promise<DocumentResult> {
  switch (answer.type) {
    case 'completed': {
      const outputs = answer.outputs.map(({ file, ...output }) => ({
        ...output,
        path: join(task.outputDirectory, file),
      }));
      return completedWith(child, outputs, answer.warnings, limits);
    }
    case 'failed':
      return { outcome: 'failed', failure: answer.failure };
    case 'out_of_memory':
      child.spend();
      return failedBy(memoryLimit(limits.memoryBytes));
    case 'broken':
      return { outcome: 'broken', reason: answer.reason };
    case 'ended':
      if (answer.cause === 'memory') return failedBy(memoryLimit(limits.memoryBytes));
      if (answer.cause === 'processor') return failedBy(timeLimit(limits.timeoutMs));
      return { outcome: 'broken', reason: answer.reason };
  }
}

/** A child that says what is not so is not believed again. */
async function completedWith(
  child: DocumentChild,
  outputs: readonly OutputFile[],
  warnings: readonly string[],
  limits: TaskLimits,
): Promise<DocumentResult> {
  const paths = outputs.map(({ path }) => path);
  const problem = await checkOutputs(paths, limits);
  if (problem === null) return { outcome: 'completed', outputs, warnings };
  child.kill();
  await child.ended;
  if (problem.kind === 'beyond-limit') return failedBy(problem.failure);
  return { outcome: 'broken', reason: `The child process was ended: ${problem.reason}.` };
}

function failedBy(failure: DocumentFailure): DocumentResult {
  return { outcome: 'failed', failure };
}
