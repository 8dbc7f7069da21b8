import { type ClaimedJob, type Database, type ObjectStore, repeatWhileUnknown } from '#libs/persistence';
import type { BlobStore, StoredBlob } from '#libs/storage';
import type { Logger } from 'pino';
import { uuidv7 } from 'uuidv7';
import { logged } from './logged.js';

/** What is stored for a job, and within which bounds. */
export interface ObjectToStore {
  readonly purpose: 'input' | 'output';
  readonly source: AsyncIterable<Uint8Array>;
  readonly maxBytes?: number;
}

/** A complete object; `name` is that in the blob store. */
export interface StoredObject extends StoredBlob {
  readonly objectId: string;
  readonly name: string;
}

/** Stores objects under new names of a claim: the collector takes them when the claim ends and nothing refers to them. */
export class StoreObject {
  constructor(
    private readonly database: Database,
    private readonly objects: ObjectStore,
    private readonly blobs: BlobStore,
    private readonly log: Logger,
  ) {}

  /** @throws what the source throws, what the storage throws, an Error when the claim was lost meanwhile */
  async store(
    job: ClaimedJob,
    { purpose, source, maxBytes }: ObjectToStore,
    signal: AbortSignal,
  ): Promise<StoredObject> {
    const id = uuidv7();
    const { jobId, claim, accountId } = job;
    const name = `${jobId}/${claim}/${id}`;
    const write = this.writing(job, signal);
    await write(() => this.objects.register(this.database, { id, accountId, name, purpose, jobId, claim }));
    const { size, sha256 } = await this.blobs.put(name, source, {
      signal,
      ...(maxBytes === undefined ? {} : { maxBytes }),
    });
    if (!(await write(() => this.objects.complete(this.database, id, { size, sha256 })))) {
      await write(() => this.objects.discard(this.database, name));
      throw new Error('an object was collected as garbage before it was complete: the claim was lost');
    }
    return { objectId: id, name, size, sha256 };
  }

  /** An outage of the database does not spoil what has been worked out. */
  writing(job: ClaimedJob, signal: AbortSignal): <T>(write: () => Promise<T>) => Promise<T> {
    const onError = (error: unknown): void => this.log.warn({ err: error, ...logged(job) }, 'object.store-repeated');
    return (write) => repeatWhileUnknown(write, { until: signal, onError });
  }
}
