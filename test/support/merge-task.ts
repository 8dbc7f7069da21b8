import { mkdtemp, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { DocumentTask } from '../../libs/pdf/src/pool/document-task.js';

/** The merge of these documents, in a directory of its own below another. */
export async function mergeTask(
  directory: string,
  contents: Uint8Array[],
  onProgress?: DocumentTask['onProgress'],
): Promise<DocumentTask> {
  const outputDirectory = await mkdtemp(join(directory, 'task-'));
  const inputs = contents.map((_, index) => ({
    path: join(outputDirectory, `in-${index}`),
    name: `${index}.pdf`,
    password: null,
    pages: null,
  }));
  await Promise.all(inputs.map(({ path }, index) => writeFile(path, contents[index] ?? '')));
  const task: DocumentTask = { operation: 'merge', options: {}, inputs, outputDirectory };
  return onProgress === undefined ? task : { ...task, onProgress };
}
