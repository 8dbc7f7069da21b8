import type { Readable } from 'node:stream';

/** What a finished put knows of its object: bytes counted and hashed (SHA-256, lower-case hex) while they were written. */
export interface StoredBlob {
  readonly size: number;
  readonly sha256: string;
}

export interface PutOptions {
  /** The object may have at most this many bytes; one more is `BlobTooLarge`. */
  readonly maxBytes?: number;
  /** Ends the put at once, even while the source is silent; the put rejects with the signal's reason. */
  readonly signal?: AbortSignal;
}

/** Both ends are byte offsets and both are included, as in an HTTP `Range` header. */
export interface ByteRange {
  readonly start: number;
  readonly end: number;
}

/**
 * Objects under names that are used once: no rename, no append, no listing. A name is a path of lower-case segments
 * (`[a-z0-9][a-z0-9_-]*`, separated by `/`); any other is `InvalidBlobName`.
 */
export interface BlobStore {
  /**
   * Writes a new object and resolves when it would survive a power cut. The name must be free: `BlobExists` if it has an
   * object, or a put that is open or was cut short by a crash. Whatever goes wrong (`BlobTooLarge`, `StorageFull`, an
   * abort, an error of the source), nothing is left behind.
   */
  put(name: string, source: AsyncIterable<Uint8Array>, options?: PutOptions): Promise<StoredBlob>;
  /** Opens an object, or a part of it, for reading; `BlobNotFound` before the first byte. The caller reads or destroys it.
   * A range that is none (negative, or its end before its start) is a `RangeError`; what lies past the end is left out. */
  get(name: string, range?: ByteRange): Promise<Readable>;
  /** Copies an object to a local file that it creates or replaces; `BlobNotFound`, `StorageFull`. */
  copyToFile(name: string, path: string): Promise<void>;
  /** Removes an object and whatever a crashed put left under its name. Removing what is not there is no error. */
  remove(name: string): Promise<void>;
  /** The id of this store (a UUID), made once and the same for every process that opens it. */
  rootId(): Promise<string>;
}
