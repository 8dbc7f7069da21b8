import { createHash, randomUUID } from 'node:crypto';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { buffer } from 'node:stream/consumers';
import { BlobExists, BlobNotFound, BlobTooLarge, InvalidBlobName } from '#libs/storage';
import type { BlobStore } from '#libs/storage';

/** One rule that every blob store keeps. `check` is given an open store and uses names of its own. */
export interface BlobStoreRule {
  readonly rule: string;
  check(store: BlobStore): Promise<void>;
}

const invalidNames = [
  '',
  '/',
  'a/',
  '/a',
  'a//b',
  '..',
  'a/../b',
  '.hidden',
  'a/.b',
  'A',
  'a b',
  'a.pdf',
  'a\\b',
  'a\0',
  'a\n',
  '-a',
  'ä',
];

/** What every implementation of `BlobStore` is held to; run it with one `it` for each rule. */
export const blobStoreContract: readonly BlobStoreRule[] = [
  {
    rule: 'returns the size and the SHA-256 of what was put, and gives the same bytes back',
    async check(store) {
      const name = freshName();
      const chunks = [bytes('one'), bytes(''), bytes('two'), new Uint8Array(300_000).fill(7)];
      const whole = Buffer.concat(chunks);
      const stored = await store.put(name, source(chunks));
      expect(stored).toEqual({ size: whole.byteLength, sha256: sha256(whole) });
      expect((await read(store, name)).equals(whole)).toBe(true);
    },
  },
  {
    rule: 'keeps an empty object',
    async check(store) {
      const name = freshName();
      expect(await store.put(name, source([]))).toEqual({ size: 0, sha256: sha256(bytes('')) });
      expect(await read(store, name)).toHaveLength(0);
    },
  },
  {
    rule: 'reads a range with both ends included, and the rest of the object when the range goes past its end',
    async check(store) {
      const name = freshName();
      await store.put(name, source([bytes('0123456789')]));
      expect(String(await read(store, name, { start: 0, end: 0 }))).toBe('0');
      expect(String(await read(store, name, { start: 2, end: 4 }))).toBe('234');
      expect(String(await read(store, name, { start: 7, end: 99 }))).toBe('789');
      await expect(store.get(name, { start: 4, end: 2 })).rejects.toBeInstanceOf(RangeError);
      await expect(store.get(name, { start: -1, end: 2 })).rejects.toBeInstanceOf(RangeError);
    },
  },
  {
    rule: 'never replaces an object',
    async check(store) {
      const name = freshName();
      await store.put(name, source([bytes('first')]));
      await expect(store.put(name, source([bytes('second')]))).rejects.toBeInstanceOf(BlobExists);
      expect(String(await read(store, name))).toBe('first');
    },
  },
  {
    rule: 'lets at most one of many puts of one name win, and keeps the bytes of the winner',
    async check(store) {
      const name = freshName();
      const texts = Array.from({ length: 8 }, (_, index) => `writer ${index}`);
      const puts = await Promise.allSettled(texts.map((text) => store.put(name, source([bytes(text)]))));
      const winners = texts.filter((_, index) => puts[index]?.status === 'fulfilled');
      expect(winners).toHaveLength(1);
      expect(String(await read(store, name))).toBe(winners[0]);
      for (const put of puts) if (put.status === 'rejected') expect(put.reason).toBeInstanceOf(BlobExists);
    },
  },
  {
    rule: 'shows nothing of an object before its put has ended',
    async check(store) {
      const name = freshName();
      const look = async (): Promise<void> => expect(store.get(name)).rejects.toBeInstanceOf(BlobNotFound);
      await store.put(name, calling(look, [bytes('half'), bytes('done')]));
      expect(String(await read(store, name))).toBe('halfdone');
    },
  },
  {
    rule: 'refuses an object over the limit and leaves its name free',
    async check(store) {
      const name = freshName();
      const refused = store.put(name, source([bytes('12345'), bytes('6')]), { maxBytes: 5 });
      await expect(refused).rejects.toMatchObject({ name: 'BlobTooLarge', maxBytes: 5 });
      await expect(refused).rejects.toBeInstanceOf(BlobTooLarge);
      await expectFree(store, name);
    },
  },
  {
    rule: 'takes an object that has exactly the limit',
    async check(store) {
      await expect(store.put(freshName(), source([bytes('12345')]), { maxBytes: 5 })).resolves.toMatchObject({
        size: 5,
      });
    },
  },
  {
    rule: 'passes on an error of the source and leaves the name free',
    async check(store) {
      const name = freshName();
      const error = new Error('the client went away');
      await expect(store.put(name, failing([bytes('half')], error))).rejects.toBe(error);
      await expectFree(store, name);
    },
  },
  {
    rule: 'ends a put at an abort although the source is silent, and leaves the name free',
    async check(store) {
      const name = freshName();
      const abort = new AbortController();
      const put = store.put(
        name,
        silentAfter([bytes('half')], () => abort.abort()),
        { signal: abort.signal },
      );
      await expect(put).rejects.toMatchObject({ name: 'AbortError' });
      await expectFree(store, name);
    },
  },
  {
    rule: 'does not start a put whose signal is aborted already',
    async check(store) {
      const name = freshName();
      await expect(store.put(name, source([bytes('x')]), { signal: AbortSignal.abort() })).rejects.toMatchObject({
        name: 'AbortError',
      });
      await expectFree(store, name);
    },
  },
  {
    rule: 'says that an object is not there, for reading and for copying',
    async check(store) {
      const name = freshName();
      await expect(store.get(name)).rejects.toMatchObject({ name: 'BlobNotFound', blobName: name });
      await inDirectory(async (directory) => {
        await expect(store.copyToFile(name, join(directory, 'copy'))).rejects.toBeInstanceOf(BlobNotFound);
      });
    },
  },
  {
    rule: 'copies an object to a file',
    async check(store) {
      const name = freshName();
      await store.put(name, source([bytes('copied')]));
      await inDirectory(async (directory) => {
        await store.copyToFile(name, join(directory, 'copy'));
        expect(await readFile(join(directory, 'copy'), 'utf8')).toBe('copied');
        await expect(store.copyToFile(name, join(directory, 'missing', 'copy'))).rejects.toMatchObject({
          name: 'StorageUnavailable',
          cause: { code: 'ENOENT' },
        });
      });
    },
  },
  {
    rule: 'removes an object, any number of times, and only that object',
    async check(store) {
      const prefix = freshName();
      await store.put(`${prefix}/a`, source([bytes('a')]));
      await store.put(`${prefix}/a/b`, source([bytes('b')]));
      await Promise.all([store.remove(`${prefix}/a`), store.remove(`${prefix}/a`)]);
      await store.remove(`${prefix}/a`);
      await store.remove(`${prefix}/never-there`);
      await expect(store.get(`${prefix}/a`)).rejects.toBeInstanceOf(BlobNotFound);
      expect(String(await read(store, `${prefix}/a/b`))).toBe('b');
    },
  },
  {
    rule: 'keeps every put of a directory whose other objects are removed at the same time',
    async check(store) {
      const prefix = freshName();
      const names = Array.from({ length: 40 }, (_, index) => `${prefix}/${index}`);
      await Promise.all(
        names.map(async (name, index) => {
          await store.put(name, source([bytes(name)]));
          if (index % 2 === 0) await store.remove(name);
        }),
      );
      for (const name of names.filter((_, index) => index % 2 === 1))
        expect(String(await read(store, name))).toBe(name);
    },
  },
  {
    rule: 'refuses every name that is not a path of lower-case segments',
    async check(store) {
      for (const name of invalidNames) {
        await expect(store.put(name, source([bytes('x')]))).rejects.toBeInstanceOf(InvalidBlobName);
        await expect(store.get(name)).rejects.toBeInstanceOf(InvalidBlobName);
        await expect(store.copyToFile(name, join(tmpdir(), 'never-made'))).rejects.toBeInstanceOf(InvalidBlobName);
        await expect(store.remove(name)).rejects.toBeInstanceOf(InvalidBlobName);
      }
    },
  },
  {
    rule: 'has one id, however often it is asked',
    async check(store) {
      const ids = await Promise.all([store.rootId(), store.rootId(), store.rootId()]);
      expect(new Set(ids).size).toBe(1);
      expect(ids[0]).toMatch(/^[0-9a-f-]{36}$/);
    },
  },
];

function freshName(): string {
  return `contract/${randomUUID()}`;
}

function bytes(text: string): Uint8Array {
  return new TextEncoder().encode(text);
}

function sha256(content: Uint8Array): string {
  return createHash('sha256').update(content).digest('hex');
}

async function* source(chunks: readonly Uint8Array[]): AsyncGenerator<Uint8Array> {
  yield* chunks;
}

/** Calls back whenever a chunk has been taken, and once before the first. */
async function* calling(callback: () => Promise<void>, chunks: readonly Uint8Array[]): AsyncGenerator<Uint8Array> {
  await callback();
  for (const chunk of chunks) {
    yield chunk;
    await callback();
  }
}

/** Says when the chunks have been taken, and then neither yields nor ends. */
async function* silentAfter(chunks: readonly Uint8Array[], onSilent: () => void): AsyncGenerator<Uint8Array> {
  yield* chunks;
  setImmediate(onSilent);
  await new Promise(() => undefined);
}

async function* failing(chunks: readonly Uint8Array[], error: Error): AsyncGenerator<Uint8Array> {
  yield* chunks;
  throw error;
}

async function read(store: BlobStore, name: string, range?: { start: number; end: number }): Promise<Buffer> {
  return buffer(await store.get(name, range));
}

async function expectFree(store: BlobStore, name: string): Promise<void> {
  await expect(store.get(name)).rejects.toBeInstanceOf(BlobNotFound);
  await store.put(name, source([bytes('free')]));
  expect(String(await read(store, name))).toBe('free');
}

async function inDirectory(use: (directory: string) => Promise<void>): Promise<void> {
  const directory = await mkdtemp(join(tmpdir(), 'blob-store-contract-'));
  try {
    await use(directory);
  } finally {
    await rm(directory, { recursive: true, force: true });
  }
}
