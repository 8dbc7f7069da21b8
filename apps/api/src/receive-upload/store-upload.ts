import type { Database, ObjectStore } from '#libs/persistence';
import { type BlobStore, BlobTooLarge } from '#libs/storage';
import { RequestRefused } from '#libs/contract';
import { uuidv7 } from 'uuidv7';

/** Bytes that arrived, as an object that is complete. */
export interface StoredUpload {
  readonly objectId: string;
  readonly sizeBytes: number;
  /** Hexadecimal. */
  readonly sha256: string;
}

/** Stores what a client uploads: registered before the first byte, complete before anything refers to it. Only the collector deletes it. */
export class StoreUpload {
  constructor(
    private readonly database: Database,
    private readonly objects: ObjectStore,
    private readonly blobs: BlobStore,
    private readonly maxFileBytes: number,
  ) {}

  /** @throws RequestRefused `request_too_large` */
  async store(accountId: string, source: AsyncIterable<Uint8Array>, signal: AbortSignal): Promise<StoredUpload> {
    const id = uuidv7();
    const name = `uploads/${id}`;
    await this.objects.register(this.database, { id, accountId, name, purpose: 'upload' });
    const { size, sha256 } = await this.put(name, source, signal);
    const isKept = await this.objects.complete(this.database, id, { size, sha256 });
    if (!isKept) throw new RequestRefused('request_timeout', 'the upload took so long that it was given up');
    return { objectId: id, sizeBytes: size, sha256 };
  }

  private async put(name: string, source: AsyncIterable<Uint8Array>, signal: AbortSignal) {
    try {
      return await this.blobs.put(name, source, { maxBytes: this.maxFileBytes, signal });
    } catch (error) {
      if (!(error instanceof BlobTooLarge)) throw error;
      throw new RequestRefused('request_too_large', `a file may have ${this.maxFileBytes} bytes`, {}, { cause: error });
    }
  }
}
