export type { BlobStore, ByteRange, PutOptions, StoredBlob } from './blob-store.js';
export {
  BlobExists,
  BlobNotFound,
  BlobTooLarge,
  InvalidBlobName,
  StorageFull,
  StorageUnavailable,
  UnsupportedStorageUrl,
} from './blob-errors.js';
export { openBlobStore } from './open-blob-store.js';
