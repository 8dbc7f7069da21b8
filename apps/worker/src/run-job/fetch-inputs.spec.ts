import { randomBytes } from 'node:crypto';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { SecretKeyError, SecretKeyring } from '#libs/domain';
import { type BlobStore, openBlobStore } from '#libs/storage';
import { fetchInputs } from './fetch-inputs.js';

const keyring = SecretKeyring.parse(`k1:${Buffer.alloc(32, 1).toString('base64')}`, randomBytes);
const lost = SecretKeyring.parse(`k2:${Buffer.alloc(32, 2).toString('base64')}`, randomBytes);
const stored = { objectName: 'uploads/one', url: null, missing: null };

let directory: string;
let blobs: BlobStore;

beforeAll(async () => {
  directory = await mkdtemp(join(tmpdir(), 'pdfonce-fetch-'));
  blobs = await openBlobStore(pathToFileURL(join(directory, 'storage')).href);
  await blobs.put('uploads/one', bytes());
});

afterAll(() => rm(directory, { recursive: true, force: true }));

async function* bytes(): AsyncGenerator<Uint8Array> {
  yield Buffer.from('%PDF');
}

function fetched(sealedPassword: string | null, pages: string | null) {
  const input = { ...stored, name: 'one.pdf', pages, sealedPassword };
  return fetchInputs({ blobs, keyring }, [input], directory, AbortSignal.timeout(5_000));
}

describe('the inputs of an attempt', () => {
  it('come with what opens them and with the pages to take', async () => {
    const [input] = await fetched(keyring.seal('open sesame'), '1-3,-1');
    expect(input).toMatchObject({ name: 'one.pdf', password: 'open sesame', pages: '1-3,-1' });
    expect(await readFile(input?.path ?? '', 'utf8')).toBe('%PDF');
    expect(await fetched(null, null)).toMatchObject([{ password: null, pages: null }]);
  });

  it('are not there when a password is sealed with a key that is gone', async () => {
    await expect(fetched(lost.seal('open sesame'), null)).rejects.toThrow(SecretKeyError);
  });
});
