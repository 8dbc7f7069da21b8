import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { DocumentPool, type DocumentResult, type DocumentTask } from '#libs/pdf';
import { samplePdf, widthsFrom } from '../../support/pdf-samples.js';

/** What a pool is opened with; the rest is the same for all. */
export interface BenchPoolOptions {
  readonly size: number;
  readonly memoryBytes: number;
  readonly timeoutMs: number;
}

const otherLimits = { maxPages: 10_000, maxOutputs: 10_000, maxOutputBytes: 10 ** 9 };

/** A pool of processes that can be told to behave as hostile documents make them, and a directory for its work. */
export class BenchPool {
  private constructor(
    private readonly pool: DocumentPool,
    private readonly directory: string,
    private readonly input: string,
  ) {}

  /** Runs with such a pool, and removes all that it made. */
  static async with<T>(options: BenchPoolOptions, work: (pool: BenchPool) => Promise<T>): Promise<T> {
    const directory = await mkdtemp(join(tmpdir(), 'pdfonce-bench-'));
    const log = { info: () => undefined, warn: () => undefined };
    const childEntry = fileURLToPath(new URL('./bomb-child.js', import.meta.url));
    const pool = new DocumentPool({ ...options, ...otherLimits, temporaryRoot: directory, log, childEntry });
    const input = join(directory, 'input.pdf');
    try {
      await writeFile(input, await samplePdf(widthsFrom(100, 3)));
      await pool.warm();
      return await work(new BenchPool(pool, directory, input));
    } finally {
      await pool.close();
      await rm(directory, { recursive: true, force: true });
    }
  }

  /** Merges two small documents; `name` is what the process does before it. */
  async run(
    name: string,
    { signal, onProgress }: { readonly signal?: AbortSignal; readonly onProgress?: () => void } = {},
  ): Promise<DocumentResult> {
    const outputDirectory = await mkdtemp(join(this.directory, 'job-'));
    await mkdir(outputDirectory, { recursive: true });
    const inputs = [1, 2].map(() => ({ path: this.input, name, password: null, pages: null }));
    const task: DocumentTask = { operation: 'merge', options: {}, inputs, outputDirectory };
    const told = onProgress === undefined ? task : { ...task, onProgress };
    try {
      return await this.pool.run(told, signal);
    } finally {
      await rm(outputDirectory, { recursive: true, force: true });
    }
  }
}
