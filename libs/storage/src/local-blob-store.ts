import { constants } from 'node:fs';
import type { FileHandle } from 'node:fs/promises';
import { access, copyFile, open, rename, unlink } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import type { Readable } from 'node:stream';
import { BlobExists, BlobNotFound } from './blob-errors.js';
import { assertBlobName } from './blob-name.js';
import type { BlobStore, ByteRange, PutOptions, StoredBlob } from './blob-store.js';
import { makeDirectory, pruneDirectoriesUpTo, syncDirectoriesUpTo, syncDirectory } from './durable-directory.js';
import { readOrCreateRootId } from './root-id.js';
import { asStorageError, hasCode } from './system-error.js';
import { writeHashed } from './write-hashed.js';

/** How often a put makes its directory again when a remove prunes the empty directory under its hands. */
const openAttempts = 20;

/**
 * Objects as files below one directory. `<name>.partial` is the object while it is written and, being created
 * exclusively, also the lock on the name; the rename to `<name>.blob` makes the object. Names have no dots, so neither
 * file can meet a directory of another name.
 */
export class LocalBlobStore implements BlobStore {
  constructor(private readonly root: string) {}

  async put(name: string, source: AsyncIterable<Uint8Array>, options: PutOptions = {}): Promise<StoredBlob> {
    const { partial, directory } = this.pathsOf(name);
    try {
      options.signal?.throwIfAborted();
      const file = await this.openPartial(name);
      try {
        const stored = await this.fill(name, file, source, options);
        await this.publish(name);
        return stored;
      } catch (error) {
        await removeFile(partial);
        await pruneDirectoriesUpTo(this.root, directory);
        throw error;
      }
    } catch (error) {
      throw asStorageError(error);
    }
  }

  async get(name: string, range?: ByteRange): Promise<Readable> {
    const { blob } = this.pathsOf(name);
    assertRange(range);
    try {
      const file = await open(blob, 'r');
      return file.createReadStream({ ...range });
    } catch (error) {
      throw hasCode(error, 'ENOENT') ? new BlobNotFound(name) : error;
    }
  }

  async copyToFile(name: string, path: string): Promise<void> {
    const { blob } = this.pathsOf(name);
    try {
      await copyFile(blob, path, constants.COPYFILE_FICLONE);
    } catch (error) {
      throw hasCode(error, 'ENOENT') && !(await exists(blob)) ? new BlobNotFound(name) : asStorageError(error);
    }
  }

  async remove(name: string): Promise<void> {
    const { blob, partial, directory } = this.pathsOf(name);
    const removed = [await removeFile(blob), await removeFile(partial)];
    if (removed.includes(true)) await syncDirectoryIfThere(directory);
    await pruneDirectoriesUpTo(this.root, directory);
  }

  rootId(): Promise<string> {
    return readOrCreateRootId(this.root);
  }

  private pathsOf(name: string): { blob: string; partial: string; directory: string } {
    assertBlobName(name);
    const path = join(this.root, name);
    return { blob: `${path}.blob`, partial: `${path}.partial`, directory: dirname(path) };
  }

  /** Takes the name: from here to the rename or the removal nobody else can put it. */
  private async openPartial(name: string): Promise<FileHandle> {
    const { partial, directory } = this.pathsOf(name);
    for (let attempt = 1; ; attempt += 1) {
      await makeDirectory(directory);
      try {
        return await open(partial, 'wx', 0o600);
      } catch (error) {
        if (hasCode(error, 'EEXIST')) throw new BlobExists(name);
        if (!hasCode(error, 'ENOENT') || attempt === openAttempts) throw error;
      }
    }
  }

  private async fill(
    name: string,
    file: FileHandle,
    source: AsyncIterable<Uint8Array>,
    options: PutOptions,
  ): Promise<StoredBlob> {
    try {
      if (await exists(this.pathsOf(name).blob)) throw new BlobExists(name);
      return await writeHashed(file, source, options);
    } finally {
      await file.close();
    }
  }

  /** Gives the finished file its name; an object whose name may not survive a power cut is taken back. */
  private async publish(name: string): Promise<void> {
    const { blob, partial, directory } = this.pathsOf(name);
    await rename(partial, blob);
    try {
      await syncDirectoriesUpTo(this.root, directory);
    } catch (error) {
      await removeFile(blob);
      throw error;
    }
  }
}

function assertRange(range: ByteRange | undefined): void {
  if (range === undefined) return;
  const { start, end } = range;
  const valid = Number.isSafeInteger(start) && Number.isSafeInteger(end) && start >= 0 && start <= end;
  if (!valid) throw new RangeError(`${start}-${end} is not a range of bytes.`);
}

/** Another remove may have pruned the directory since. */
async function syncDirectoryIfThere(path: string): Promise<void> {
  try {
    await syncDirectory(path);
  } catch (error) {
    if (!hasCode(error, 'ENOENT')) throw error;
  }
}

async function exists(path: string): Promise<boolean> {
  try {
    await access(path);
    return true;
  } catch (error) {
    if (hasCode(error, 'ENOENT')) return false;
    throw error;
  }
}

/** Whether there was a file to remove. */
async function removeFile(path: string): Promise<boolean> {
  try {
    await unlink(path);
    return true;
  } catch (error) {
    if (hasCode(error, 'ENOENT')) return false;
    throw error;
  }
}
