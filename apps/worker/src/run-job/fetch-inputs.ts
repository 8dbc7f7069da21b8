import type { ClaimedInput } from '#libs/persistence';
import type { InputFile } from '#libs/pdf';
import { type BlobStore } from '#libs/storage';
import { join } from 'node:path';
import { mapConcurrently } from './map-concurrently.js';

const atOnce = 4;

/** Copies the inputs of a job, which are all stored, from the storage into its directory. */
export async function fetchInputs(
  blobs: BlobStore,
  inputs: readonly ClaimedInput[],
  directory: string,
  signal: AbortSignal,
): Promise<InputFile[]> {
  return mapConcurrently(inputs, atOnce, async ({ name, objectName }, index) => {
    signal.throwIfAborted();
    if (objectName === null || name === null) throw new Error(`nothing is stored for input ${index}`);
    const path = join(directory, `input-${index}`);
    await blobs.copyToFile(objectName, path);
    return { path, name, password: null, pages: null };
  });
}
