import type { SecretKeyring } from '#libs/domain';
import type { ClaimedInput } from '#libs/persistence';
import type { InputFile } from '#libs/pdf';
import { type BlobStore } from '#libs/storage';
import { join } from 'node:path';
import { mapConcurrently } from './map-concurrently.js';

const atOnce = 4;

/** Where inputs are kept, and what opens the seals of their passwords. */
export interface FetchInputsOptions {
  readonly blobs: BlobStore;
  readonly keyring: SecretKeyring;
}

/**
 * Copies the inputs of a job, which are all stored, from the storage into its directory, and opens the seals of their passwords.
 *
 * @throws SecretKeyError when a password was sealed with a key that this process does not have
 */
export async function fetchInputs(
  { blobs, keyring }: FetchInputsOptions,
  inputs: readonly ClaimedInput[],
  directory: string,
  signal: AbortSignal,
): Promise<InputFile[]> {
  return mapConcurrently(inputs, atOnce, async ({ name, objectName, pages, sealedPassword }, index) => {
    signal.throwIfAborted();
    if (objectName === null || name === null) throw new Error(`nothing is stored for input ${index}`);
    const password = sealedPassword === null ? null : keyring.open(sealedPassword);
    const path = join(directory, `input-${index}`);
    await blobs.copyToFile(objectName, path);
    return { path, name, password, pages };
  });
}
