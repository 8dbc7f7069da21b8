import type { ClaimedJob, StoredOutput } from '#libs/persistence';
import type { OutputFile } from '#libs/pdf';
import { createReadStream } from 'node:fs';
import { mapConcurrently } from './map-concurrently.js';
import type { StoreObject } from './store-object.js';

const atOnce = 4;

/** Stores what an attempt made, each under a new name of its claim. Only settling makes it the job's output. */
export class StoreOutputs {
  constructor(private readonly objects: StoreObject) {}

  async store(job: ClaimedJob, outputs: readonly OutputFile[], signal: AbortSignal): Promise<StoredOutput[]> {
    return mapConcurrently(outputs, atOnce, async ({ path, name, mediaType, pages }) => {
      const source = createReadStream(path);
      const { objectId, size, sha256 } = await this.objects.store(job, { purpose: 'output', source }, signal);
      return { name, mediaType, sizeBytes: size, sha256, pages, objectId };
    });
  }
}
