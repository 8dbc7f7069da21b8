import { join } from 'node:path';
import type { ChildAnswer } from '../child/protocol.js';
import { memoryLimit } from '../document/document-failure.js';
import type { DocumentResult, DocumentTask } from '../document-task.js';
import type { ChildEnd, DocumentChild } from './document-child.js';
import type { TaskLimits } from './task-watch.js';
import { TaskWatch } from './task-watch.js';

/** Runs one task in a child that is ready. When the child had to be ended by force, it is gone before this resolves. */
export async function runInChild(
  child: DocumentChild,
  task: DocumentTask,
  limits: TaskLimits,
  signal: AbortSignal | undefined,
): Promise<DocumentResult> {
  const { operation, options, inputs, outputDirectory } = task;
  const message = { operation, options, inputs: [...inputs], outputDirectory, maxPages: limits.maxPages };
  const watch = new TaskWatch(child, limits, signal);
  try {
    const answer = await child.ask(message, (done, total) => task.onProgress?.(done, total));
    if (watch.verdict === null) return resultOf(answer, task, limits);
    await child.ended;
    return watch.verdict;
  } finally {
    watch.stop();
  }
}

function resultOf(answer: ChildAnswer | ChildEnd, task: DocumentTask, { memoryBytes }: TaskLimits): DocumentResult {
  switch (answer.type) {
    case 'completed': {
      const outputs = answer.outputs.map(({ file, ...output }) => ({
        ...output,
        path: join(task.outputDirectory, file),
      }));
      return { outcome: 'completed', outputs, warnings: answer.warnings };
    }
    case 'failed':
      return { outcome: 'failed', failure: answer.failure };
    case 'out_of_memory':
      return { outcome: 'failed', failure: memoryLimit(memoryBytes) };
    case 'broken':
      return { outcome: 'crashed', reason: answer.reason };
    case 'ended':
      return answer.outOfMemory
        ? { outcome: 'failed', failure: memoryLimit(memoryBytes) }
        : { outcome: 'crashed', reason: answer.reason };
  }
}
