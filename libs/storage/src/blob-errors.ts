/** The name already has an object, or a put that is open or was cut short. */
export class BlobExists extends Error {
  override readonly name = 'BlobExists';
  constructor(readonly blobName: string) {
    super(`The storage already has an object or an unfinished put named "${blobName}".`);
  }
}

/** The name has no object. */
export class BlobNotFound extends Error {
  override readonly name = 'BlobNotFound';
  constructor(readonly blobName: string) {
    super(`The storage has no object named "${blobName}".`);
  }
}

/** The source had more bytes than the caller allowed. */
export class BlobTooLarge extends Error {
  override readonly name = 'BlobTooLarge';
  constructor(readonly maxBytes: number) {
    super(`The object is larger than ${maxBytes} bytes.`);
  }
}

/** The disk or the quota is full. */
export class StorageFull extends Error {
  override readonly name = 'StorageFull';
  constructor(cause: unknown) {
    super('The storage is full.', { cause });
  }
}

/** The storage cannot be used now. */
export class StorageUnavailable extends Error {
  override readonly name = 'StorageUnavailable';
  constructor(cause: unknown) {
    super('The storage cannot be used.', { cause });
  }
}

/** The name is not a path of lower-case segments, so it cannot be kept inside the root. */
export class InvalidBlobName extends Error {
  override readonly name = 'InvalidBlobName';
  constructor(readonly blobName: string) {
    super(`${JSON.stringify(blobName)} is not a name for a stored object.`);
  }
}

/** The storage setting names no kind of storage that this version has. */
export class UnsupportedStorageUrl extends Error {
  override readonly name = 'UnsupportedStorageUrl';
  constructor(value: string) {
    super(`STORAGE_URL ${JSON.stringify(value)} is not supported: use file:///path (s3://bucket/prefix is to come).`);
  }
}
