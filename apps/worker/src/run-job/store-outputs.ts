import type { ClaimedJob, Database, ObjectStore, StoredOutput } from '#libs/persistence';
import type { OutputFile } from '#libs/pdf';
import type { BlobStore } from '#libs/storage';
import { createReadStream } from 'node:fs';
import { uuidv7 } from 'uuidv7';
import { mapConcurrently } from './map-concurrently.js';

const atOnce = 4;

/** Stores what an attempt made, each under a new name of its claim. Only settling makes it the job's output. */
export class StoreOutputs {
  constructor(
    private readonly database: Database,
    private readonly objects: ObjectStore,
    private readonly blobs: BlobStore,
  ) {}

  async store(job: ClaimedJob, outputs: readonly OutputFile[], signal: AbortSignal): Promise<StoredOutput[]> {
    return mapConcurrently(outputs, atOnce, (output) => this.#storeOne(job, output, signal));
  }

  async #storeOne(job: ClaimedJob, output: OutputFile, signal: AbortSignal): Promise<StoredOutput> {
    const id = uuidv7();
    const { jobId, claim, accountId } = job;
    const name = `${jobId}/${claim}/${id}`;
    await this.objects.register(this.database, { id, accountId, name, purpose: 'output', jobId, claim });
    const { size, sha256 } = await this.blobs.put(name, createReadStream(output.path), { signal });
    if (!(await this.objects.complete(this.database, id, { size, sha256 }))) {
      await this.objects.discard(this.database, name);
      throw new Error('an output was collected as garbage before it was complete: the claim was lost');
    }
    const { name: fileName, mediaType, pages } = output;
    return { name: fileName, mediaType, sizeBytes: size, sha256, pages, objectId: id };
  }
}
