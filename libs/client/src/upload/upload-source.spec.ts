import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { openSource, type UploadSource } from './upload-source.js';

describe('the source of an upload', () => {
  const bytes = Uint8Array.from({ length: 200_000 }, (_, index) => index % 251);
  const base64 = Buffer.from(bytes).toString('base64');
  let directory: string;
  let path: string;

  beforeAll(async () => {
    directory = await mkdtemp(join(tmpdir(), 'pdfonce-upload-'));
    path = join(directory, 'a.pdf');
    await writeFile(path, bytes);
  });

  afterAll(() => rm(directory, { recursive: true, force: true }));

  async function read(source: UploadSource) {
    const { sizeBytes, pieces } = await openSource(source);
    const all: Uint8Array[] = [];
    for await (const piece of pieces) all.push(piece);
    return {
      sizeBytes,
      content: Buffer.concat(all).toString('base64'),
      longest: Math.max(...all.map(({ length }) => length)),
    };
  }

  it.each([
    ['bytes', () => bytes],
    ['a blob', () => new Blob([bytes])],
    ['a path', () => ({ path })],
    ['what opens a stream', () => ({ open: () => new Blob([bytes]).stream(), sizeBytes: bytes.length })],
    [
      'what opens a Node stream',
      () => ({ open: async () => Readable.from([Buffer.from(bytes)]), sizeBytes: bytes.length }),
    ],
  ])('can be %s, read as often as needed, in small pieces', async (_, make) => {
    const source = make();
    for (const { sizeBytes, content, longest } of [await read(source), await read(source)]) {
      expect(sizeBytes).toBe(bytes.length);
      expect(content).toBe(base64);
      expect(longest).toBeLessThanOrEqual(65_536);
    }
  });

  it('can be a stream of unknown size', async () => {
    expect(await read({ stream: new Blob([bytes]).stream() })).toMatchObject({ sizeBytes: null, content: base64 });
  });

  it.each([199_999, 200_001])('is refused when it has another size than it said: %i', async (sizeBytes) => {
    await expect(read({ open: () => new Blob([bytes]).stream(), sizeBytes })).rejects.toThrow('bytes');
  });

  it('is not opened before it is read', async () => {
    let opened = 0;
    const source = { open: () => ((opened += 1), new Blob([bytes]).stream()) };
    const { pieces } = await openSource(source);
    expect(opened).toBe(0);
    await pieces[Symbol.asyncIterator]().next();
    expect(opened).toBe(1);
  });

  it('must be there', async () => {
    await expect(openSource({ path: join(directory, 'none.pdf') })).rejects.toMatchObject({ code: 'ENOENT' });
  });
});
