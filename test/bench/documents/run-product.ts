import { mkdtemp, rm } from 'node:fs/promises';
import { basename, join } from 'node:path';
import type { DocumentResult, OperationName } from '#libs/pdf';
import { DocumentPool } from '#libs/pdf';
import { childrenOf } from '../../support/processes.js';
import { forgetPeak, peakBytesOf, treeOf } from '../process-use.js';
import { bytesIn, type ToolRun } from './tool-run.js';

/** An operation on files, as the bench runs it. */
export interface ProductTask {
  readonly operation: OperationName;
  readonly options: unknown;
  readonly paths: readonly string[];
}

/** The product's operations in a pool of one process that is warm. */
export class Product {
  private constructor(
    private readonly pool: DocumentPool,
    private readonly root: string,
  ) {}

  static async start(root: string): Promise<Product> {
    const log = { info: () => undefined, warn: () => undefined };
    const limits = { size: 1, timeoutMs: 120_000, memoryBytes: 2 ** 30, maxPages: 20_000 };
    const outputs = { maxOutputs: 20_000, maxOutputBytes: 2 ** 30 };
    const pool = new DocumentPool({ ...limits, ...outputs, temporaryRoot: root, log });
    await pool.warm();
    return new Product(pool, root);
  }

  /** Runs an operation and measures it. A failure of the document is an error here. */
  async measure(task: ProductTask): Promise<ToolRun> {
    return this.inDirectory(async (outputDirectory) => {
      const processes = await treeOf(await childrenOf(process.pid));
      await Promise.all(processes.map((pid) => forgetPeak(pid).catch(() => undefined)));
      const startedAt = performance.now();
      const result = await this.runTask(task, outputDirectory);
      const wallMs = performance.now() - startedAt;
      if (result.outcome !== 'completed') throw new Error(`${task.operation}: ${JSON.stringify(result)}`);
      const peaks = await Promise.all(processes.map(peakBytesOf));
      return { wallMs, peakBytes: Math.max(...peaks), outputBytes: await bytesIn(outputDirectory) };
    });
  }

  /** Runs an operation and gives its result to who looks at the outputs before they are removed. */
  async run<T>(task: ProductTask, look: (result: DocumentResult) => Promise<T>): Promise<T> {
    return this.inDirectory(async (outputDirectory) => look(await this.runTask(task, outputDirectory)));
  }

  async stop(): Promise<void> {
    await this.pool.close();
  }

  private runTask({ operation, options, paths }: ProductTask, outputDirectory: string): Promise<DocumentResult> {
    const inputs = paths.map((path) => ({ path, name: basename(path), password: null, pages: null }));
    return this.pool.run({ operation, options, inputs, outputDirectory });
  }

  private async inDirectory<T>(work: (outputDirectory: string) => Promise<T>): Promise<T> {
    const outputDirectory = await mkdtemp(join(this.root, 'product-'));
    try {
      return await work(outputDirectory);
    } finally {
      await rm(outputDirectory, { recursive: true, force: true });
    }
  }
}
