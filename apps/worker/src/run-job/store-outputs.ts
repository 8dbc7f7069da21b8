import type { ClaimedJob, StoredOutput } from '#libs/persistence';
import type { OutputFile } from '#libs/pdf';
import { constants } from 'node:fs';
import { open } from 'node:fs/promises';
import { mapConcurrently } from './map-concurrently.js';
import type { StoreObject } from './store-object.js';

const atOnce = 4;
/** The process that made the files may still run: what it puts in their place is not followed elsewhere. */
const noFollowing = constants.O_RDONLY | constants.O_NOFOLLOW;

/** Stores what an attempt made, each under a new name of its claim. Only settling makes it the job's output. */
export class StoreOutputs {
  constructor(private readonly objects: StoreObject) {}

  async store(job: ClaimedJob, outputs: readonly OutputFile[], signal: AbortSignal): Promise<StoredOutput[]> {
    return mapConcurrently(outputs, atOnce, async ({ path, name, mediaType, pages }) => {
      const file = await open(path, noFollowing);
      try {
        const source = file.createReadStream({ autoClose: false });
        const { objectId, size, sha256 } = await this.objects.store(job, { purpose: 'output', source }, signal);
        return { name, mediaType, sizeBytes: size, sha256, pages, objectId };
      } finally {
        await file.close();
      }
    });
  }
}
