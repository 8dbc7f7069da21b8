import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { DocumentPool, type DocumentPoolOptions, type DocumentResult, type DocumentTask } from '#libs/pdf';
import { mergeTask } from './merge-task.js';
import { samplePdf } from './pdf-samples.js';
import { childrenOf } from './processes.js';

export const mebibyte = 2 ** 20;

/** One test of a pool of document processes, with a directory of its own for their tasks. */
export class PoolTrial {
  readonly logged: Array<{ fields: object; message: string }> = [];
  private pool: DocumentPool | null = null;

  private constructor(
    readonly directory: string,
    private readonly others: readonly number[],
  ) {}

  static async begin(): Promise<PoolTrial> {
    const others = await childrenOf(process.pid);
    return new PoolTrial(await mkdtemp(join(tmpdir(), 'document-pool-')), others);
  }

  async end(): Promise<void> {
    await this.pool?.close();
    await rm(this.directory, { recursive: true, force: true });
  }

  /** Opens the pool of the test, whose processes run what was built. */
  open(options: Partial<DocumentPoolOptions> = {}): DocumentPool {
    const note = (fields: object, message: string): void => void this.logged.push({ fields, message });
    this.pool = new DocumentPool({
      size: 2,
      timeoutMs: 20_000,
      memoryBytes: 512 * mebibyte,
      maxPages: 1000,
      maxOutputs: 1000,
      maxOutputBytes: 2 ** 30,
      temporaryRoot: this.directory,
      log: { info: note, warn: note },
      childEntry: resolve('dist/libs/pdf/src/child/main.js'),
      ...options,
    });
    return this.pool;
  }

  /** The children of this process but those that it had before the test. */
  async processes(): Promise<number[]> {
    return (await childrenOf(process.pid)).filter((pid) => !this.others.includes(pid));
  }

  merge(contents: Uint8Array[], onProgress?: DocumentTask['onProgress']): Promise<DocumentTask> {
    return mergeTask(this.directory, contents, onProgress);
  }
}

/** Merges a document with a second one. Resolves when the first input is done, so that the child is now at the second. */
export async function runUntilSecondInput(
  trial: PoolTrial,
  pool: DocumentPool,
  second: Uint8Array,
  signal?: AbortSignal,
): Promise<{ result: Promise<DocumentResult> }> {
  const first = await samplePdf([100]);
  let reached: () => void = () => undefined;
  const atSecond = new Promise<void>((resolvePromise) => (reached = resolvePromise));
  const result = pool.run(await trial.merge([first, second], () => reached()), signal);
  await Promise.race([atSecond, result]);
  return { result };
}
