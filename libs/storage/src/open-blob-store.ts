import { fileURLToPath } from 'node:url';
import { UnsupportedStorageUrl } from './blob-errors.js';
import type { BlobStore } from './blob-store.js';
import { makeDirectory } from './durable-directory.js';
import { LocalBlobStore } from './local-blob-store.js';

/** Opens the storage that the setting names: `file:///path` (made if it is missing). Any other is `UnsupportedStorageUrl`. */
export async function openBlobStore(url: string): Promise<BlobStore> {
  const root = localRoot(url);
  await makeDirectory(root);
  const store = new LocalBlobStore(root);
  await store.rootId();
  return store;
}

function localRoot(value: string): string {
  const url = readUrl(value);
  if (url?.protocol !== 'file:' || url.host !== '' || url.search !== '' || url.hash !== '') {
    throw new UnsupportedStorageUrl(withoutPassword(value, url));
  }
  return withoutTrailingSlash(fileURLToPath(url));
}

/** Not by `URL.canParse`, which Node 20 answers wrongly for some texts once it is compiled. */
function readUrl(value: string): URL | null {
  try {
    return new URL(value);
  } catch {
    return null;
  }
}

function withoutPassword(value: string, url: URL | null): string {
  if (url === null || url.password === '') return value;
  const shown = new URL(url);
  shown.password = '***';
  return shown.href;
}

function withoutTrailingSlash(path: string): string {
  return path.length > 1 && path.endsWith('/') ? path.slice(0, -1) : path;
}
