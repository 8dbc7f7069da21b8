import type { DocumentFailure } from '../document/failure/document-failure.js';
import type { InputFile, OperationName, OutputFile } from '../operation.js';

/** One piece of work for a child process. */
export interface DocumentTask {
  readonly operation: OperationName;
  /** As the schema of the operation takes them. */
  readonly options: unknown;
  readonly inputs: readonly InputFile[];
  /** An empty directory of this task alone; the caller makes and removes it. */
  readonly outputDirectory: string;
  /** Called as the work goes on, with the total that the documents turned out to have. Must not throw. */
  onProgress?(done: number, total: number): void;
}

/**
 * How a task ended. `failed` is final: the document or a limit is the cause. `broken` says nothing of the document (the process
 * died, a disk was full) and may be tried again. After `stopped`, as after every end by force, the process is gone.
 */
export type DocumentResult =
  | { readonly outcome: 'completed'; readonly outputs: readonly OutputFile[]; readonly warnings: readonly string[] }
  | { readonly outcome: 'failed'; readonly failure: DocumentFailure }
  | { readonly outcome: 'broken'; readonly reason: string }
  | { readonly outcome: 'stopped' };
