import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdir, mkdtemp, open, readFile, readdir, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import { blobStoreContract } from '../../../test/contract/blob-store.contract.js';
import { BlobNotFound, StorageFull, StorageUnavailable, UnsupportedStorageUrl } from './blob-errors.js';
import type { BlobStore } from './blob-store.js';
import { openBlobStore } from './open-blob-store.js';
import { asStorageError } from './system-error.js';

let root: string;
let store: BlobStore;

beforeEach(async () => {
  root = await mkdtemp(join(tmpdir(), 'local-blob-store-'));
  store = await openBlobStore(String(pathToFileURL(root)));
});

afterEach(async () => {
  await rm(root, { recursive: true, force: true });
});

async function* chunksOf(...texts: string[]): AsyncGenerator<Uint8Array> {
  for (const text of texts) yield Buffer.from(text);
}

async function filesBelow(directory: string): Promise<string[]> {
  const entries = await readdir(directory, { recursive: true, withFileTypes: true });
  return entries.filter((entry) => entry.isFile()).map((entry) => entry.name);
}

describe('the blob store on a local disk', () => {
  for (const entry of blobStoreContract) it(entry.rule, () => entry.check(store));

  it('leaves neither files nor directories of a failed put or a removed object', async () => {
    await store.put('job/claim/removed', chunksOf('x'));
    await store.remove('job/claim/removed');
    await expect(store.put('job/claim/large', chunksOf('too large'), { maxBytes: 3 })).rejects.toThrow(/3 bytes/);
    expect(await readdir(root)).toEqual(['.pdfonce-root']);
  });

  it('keeps objects to its own user', async () => {
    await store.put('private', chunksOf('x'));
    const file = await open(join(root, 'private.blob'), 'r');
    const { mode } = await file.stat();
    await file.close();
    expect(mode & 0o077).toBe(0);
  });

  it('turns a full disk into its own error, and no other', async () => {
    const full = await open('/dev/full', 'w');
    const error: unknown = await full.write('x').catch((reason: unknown) => reason);
    await full.close();
    expect(asStorageError(error)).toBeInstanceOf(StorageFull);
    expect(asStorageError(error)).toMatchObject({ cause: error });
    const other = new Error('of another kind');
    expect(asStorageError(other)).toBe(other);
  });

  it('turns a disk that cannot be used into its own error', async () => {
    const file = join(root, 'file');
    await writeFile(file, '');
    const error: unknown = await readFile(join(file, 'below')).catch((reason: unknown) => reason);
    expect(asStorageError(error)).toBeInstanceOf(StorageUnavailable);
    expect(asStorageError(error)).toMatchObject({ cause: { code: 'ENOTDIR' } });
  });

  it('shows nothing under the name of a put whose process was killed, and remove clears what it left (contract 2.2)', async () => {
    await killInTheMiddleOfAPut('job/claim/killed');
    expect(await filesBelow(join(root, 'job'))).toEqual(['killed.partial']);
    await expect(store.get('job/claim/killed')).rejects.toBeInstanceOf(BlobNotFound);
    await store.put('job/claim/another', chunksOf('unaffected'));
    await store.remove('job/claim/killed');
    expect(await filesBelow(join(root, 'job'))).toEqual(['another.blob']);
    await store.put('job/claim/killed', chunksOf('again'));
  });
});

describe('the id of a storage root', () => {
  it('is the same for all who open a new root at once', async () => {
    const url = String(pathToFileURL(join(root, 'deep', 'new')));
    const ids = await Promise.all(Array.from({ length: 20 }, async () => (await openBlobStore(url)).rootId()));
    expect(new Set(ids).size).toBe(1);
    expect(await readdir(join(root, 'deep', 'new'))).toEqual(['.pdfonce-root']);
  });

  it('differs from root to root and is still the same after opening again', async () => {
    const other = await openBlobStore(String(pathToFileURL(join(root, 'other'))));
    expect(await other.rootId()).not.toBe(await store.rootId());
    const again = await openBlobStore(`${String(pathToFileURL(root))}/`);
    expect(await again.rootId()).toBe(await store.rootId());
  });

  it('is never replaced when its file is damaged', async () => {
    const damaged = join(root, 'damaged');
    await mkdir(damaged);
    await writeFile(join(damaged, '.pdfonce-root'), 'nonsense');
    await expect(openBlobStore(String(pathToFileURL(damaged)))).rejects.toThrow(/does not hold the id/);
    expect(await readFile(join(damaged, '.pdfonce-root'), 'utf8')).toBe('nonsense');
  });
});

describe('the storage setting', () => {
  it.each(['s3://bucket/prefix', '/var/lib/pdfonce', 'file://host/path', 'https://example.org/', ''])(
    'refuses %j and names it',
    async (value) => {
      const refusal = openBlobStore(value);
      await expect(refusal).rejects.toBeInstanceOf(UnsupportedStorageUrl);
      await expect(refusal).rejects.toThrow(JSON.stringify(value));
    },
  );

  it('never shows the password of a refused value', async () => {
    await expect(openBlobStore('s3://id:hunter2@bucket/prefix')).rejects.toThrow(/id:\*\*\*@bucket/);
  });
});

/** Kills a real process once its put has written a first chunk and waits for more. */
async function killInTheMiddleOfAPut(name: string): Promise<void> {
  const script = `
    const { openBlobStore } = await import(${JSON.stringify(pathToFileURL(resolve('dist/libs/storage/src/index.js')))});
    const store = await openBlobStore(${JSON.stringify(pathToFileURL(root))});
    async function* endless() {
      yield Buffer.alloc(100_000);
      process.stdout.write('written');
      await new Promise((resolve) => setTimeout(resolve, 1e9));
    }
    await store.put(${JSON.stringify(name)}, endless());`;
  const writer = spawn(process.execPath, ['--input-type=module', '-e', script], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const exited = once(writer, 'exit');
  await once(writer.stdout, 'data');
  writer.kill('SIGKILL');
  await exited;
}
