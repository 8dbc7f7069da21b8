export type { BlobStore, StoredBlob } from './blob-store.js';
export {
  BlobExists,
  BlobNotFound,
  BlobTooLarge,
  InvalidBlobName,
  StorageFull,
  StorageUnavailable,
} from './blob-errors.js';
export { openBlobStore } from './open-blob-store.js';
