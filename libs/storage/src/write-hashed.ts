import { createHash } from 'node:crypto';
import type { FileHandle } from 'node:fs/promises';
import { abortable } from './abortable.js';
import { BlobTooLarge } from './blob-errors.js';
import type { PutOptions, StoredBlob } from './blob-store.js';

/** Streams the source into an open file, chunk by chunk, and syncs it. The caller closes the file and clears up. */
export async function writeHashed(
  file: FileHandle,
  source: AsyncIterable<Uint8Array>,
  { maxBytes = Number.POSITIVE_INFINITY, signal }: PutOptions,
): Promise<StoredBlob> {
  const hash = createHash('sha256');
  let size = 0;
  for await (const chunk of abortable(source, signal)) {
    size += chunk.byteLength;
    if (size > maxBytes) throw new BlobTooLarge(maxBytes);
    hash.update(chunk);
    await writeAll(file, chunk);
  }
  await file.sync();
  signal?.throwIfAborted();
  return { size, sha256: hash.digest('hex') };
}

async function writeAll(file: FileHandle, chunk: Uint8Array): Promise<void> {
  let written = 0;
  while (written < chunk.byteLength) {
    const { bytesWritten } = await file.write(chunk, written, chunk.byteLength - written);
    written += bytesWritten;
  }
}
