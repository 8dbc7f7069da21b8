import {
  type ClaimedJob,
  type Database,
  type ObjectStore,
  repeatWhileUnknown,
  type StoredOutput,
} from '#libs/persistence';
import type { OutputFile } from '#libs/pdf';
import type { BlobStore } from '#libs/storage';
import { createReadStream } from 'node:fs';
import type { Logger } from 'pino';
import { uuidv7 } from 'uuidv7';
import { mapConcurrently } from './map-concurrently.js';
import { logged } from './logged.js';

const atOnce = 4;

/** Stores what an attempt made, each under a new name of its claim. Only settling makes it the job's output. */
export class StoreOutputs {
  constructor(
    private readonly database: Database,
    private readonly objects: ObjectStore,
    private readonly blobs: BlobStore,
    private readonly log: Logger,
  ) {}

  async store(job: ClaimedJob, outputs: readonly OutputFile[], signal: AbortSignal): Promise<StoredOutput[]> {
    return mapConcurrently(outputs, atOnce, (output) => this.#storeOne(job, output, signal));
  }

  async #storeOne(job: ClaimedJob, output: OutputFile, signal: AbortSignal): Promise<StoredOutput> {
    const id = uuidv7();
    const { jobId, claim, accountId } = job;
    const name = `${jobId}/${claim}/${id}`;
    const object = { id, accountId, name, purpose: 'output', jobId, claim } as const;
    const write = this.#writing(job, signal);
    await write(() => this.objects.register(this.database, object));
    const { size, sha256 } = await this.blobs.put(name, createReadStream(output.path), { signal });
    if (!(await write(() => this.objects.complete(this.database, id, { size, sha256 })))) {
      await write(() => this.objects.discard(this.database, name));
      throw new Error('an output was collected as garbage before it was complete: the claim was lost');
    }
    const { name: fileName, mediaType, pages } = output;
    return { name: fileName, mediaType, sizeBytes: size, sha256, pages, objectId: id };
  }

  /** An outage of the database does not spoil what has been worked out. */
  #writing(job: ClaimedJob, signal: AbortSignal): <T>(write: () => Promise<T>) => Promise<T> {
    const onError = (error: unknown): void => this.log.warn({ err: error, ...logged(job) }, 'output.store-repeated');
    return (write) => repeatWhileUnknown(write, { until: signal, onError });
  }
}
