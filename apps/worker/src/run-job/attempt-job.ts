import type { SecretKeyring } from '#libs/domain';
import { reach } from '#libs/failpoints';
import { createTaskDirectory, type DocumentPool, type OperationName, operationNames, type InputFile } from '#libs/pdf';
import type { BlobStore } from '#libs/storage';
import { mkdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import type { FetchUrls } from '../fetch-urls/fetch-urls.js';
import { InputFailed } from '../fetch-urls/input-failed.js';
import { fetchInputs } from './fetch-inputs.js';
import { missingInput } from './missing-input.js';
import type { RunningJob } from './running-job.js';
import type { StoreOutputs } from './store-outputs.js';
import type { WorkResult } from './work-result.js';

/** What an attempt works with. */
export interface AttemptJobOptions {
  readonly pool: DocumentPool;
  readonly blobs: BlobStore;
  readonly keyring: SecretKeyring;
  readonly fetchUrls: FetchUrls;
  readonly storeOutputs: StoreOutputs;
  readonly temporaryRoot: string;
}

/** Does the work of a job once, in a directory of its own that is gone afterwards, outside any transaction. Never throws. */
export class AttemptJob {
  constructor(private readonly options: AttemptJobOptions) {}

  async attempt(running: RunningJob): Promise<WorkResult> {
    const error = missingInput(running.job.inputs);
    if (error !== null) return { kind: 'failed', error };
    try {
      const directory = await createTaskDirectory(this.options.temporaryRoot);
      try {
        return await this.#work(running, directory);
      } finally {
        await rm(directory, { recursive: true, force: true, maxRetries: 3 });
      }
    } catch (cause) {
      return running.signal.aborted ? { kind: 'stopped' } : resultOf(cause);
    }
  }

  async #work(running: RunningJob, directory: string): Promise<WorkResult> {
    const { job, signal } = running;
    const outputDirectory = join(directory, 'outputs');
    await mkdir(outputDirectory);
    const stored = await running.fetch(() => this.options.fetchUrls.fetch(job, signal));
    const inputs = await fetchInputs(this.options, stored, directory, signal);
    const work = this.#runDocument(running, inputs, outputDirectory);
    const [result] = await Promise.all([work, reach('job.at-work')]);
    switch (result.outcome) {
      case 'completed': {
        const outputs = await this.options.storeOutputs.store(job, result.outputs, signal);
        await reach('job.after-output-stored');
        return { kind: 'completed', outputs, warnings: result.warnings, total: running.progress.total };
      }
      case 'failed':
        return { kind: 'failed', error: { ...result.failure, limit: result.failure.limit ?? null, retryable: false } };
      case 'broken':
        return { kind: 'broken', cause: new Error(`the document process crashed: ${result.reason}`) };
      case 'stopped':
        return { kind: 'stopped' };
    }
  }

  #runDocument(running: RunningJob, inputs: readonly InputFile[], outputDirectory: string) {
    const { job, signal } = running;
    const task = {
      operation: operationOf(job.operation),
      options: job.options,
      inputs,
      outputDirectory,
      onProgress: (done: number, total: number) => running.report(done, total),
    };
    return this.options.pool.run(task, signal);
  }
}

function resultOf(cause: unknown): WorkResult {
  if (!(cause instanceof InputFailed)) return { kind: 'broken', cause };
  const { error } = cause;
  return error.retryable ? { kind: 'broken', cause, error } : { kind: 'failed', error };
}

function operationOf(name: string): OperationName {
  const known = operationNames.find((candidate) => candidate === name);
  if (known === undefined) throw new Error(`this worker knows no operation ${name}`);
  return known;
}
