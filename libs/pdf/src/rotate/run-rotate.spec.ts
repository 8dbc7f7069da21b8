import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { ampleBudget } from '../../../../test/support/documents/ample-budget.js';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { PDFDocument, PDFName, PDFNumber } from 'pdf-lib';
import { corruptPdf, endlessPageTreePdf, samplePdf, widthsFrom } from '../../../../test/support/pdf-samples.js';
import type { OperationOutcome } from '../operation.js';
import { rotate, type RotateOptions } from './rotate.js';
import { runRotate } from './run-rotate.js';

let directory: string;
let progress: Array<[number, number]>;

beforeEach(async () => {
  directory = await mkdtemp(join(tmpdir(), 'run-rotate-'));
  progress = [];
});

afterEach(() => rm(directory, { recursive: true, force: true }));

async function turn(content: Uint8Array, options: object, maxPages = 1000): Promise<OperationOutcome> {
  const outputDirectory = await mkdtemp(join(directory, 'out-'));
  const path = join(outputDirectory, 'input');
  await writeFile(path, content);
  return runRotate({
    options: rotate.optionsSchema.parse(options),
    inputs: [{ path, name: 'a.pdf', password: null, pages: null }],
    outputDirectory,
    maxPages,
    budget: ampleBudget(),
    report: (done, total) => void progress.push([done, total]),
  });
}

async function rotationsAfter(content: Uint8Array, options: object): Promise<number[]> {
  const { outputs } = await turn(content, options);
  const document = await PDFDocument.load(await readFile(outputs[0]?.path ?? ''), { updateMetadata: false });
  return document.getPages().map(({ node }) => node.lookup(PDFName.of('Rotate'), PDFNumber).asNumber());
}

/** Pages with these rotations of their own; `null` inherits 90 from the root of the page tree. */
async function turnedPdf(rotations: ReadonlyArray<number | null>): Promise<Uint8Array> {
  const document = await PDFDocument.load(await samplePdf(widthsFrom(100, rotations.length)));
  document.catalog.Pages().set(PDFName.of('Rotate'), PDFNumber.of(90));
  document.getPages().forEach(({ node }, index) => {
    const rotation = rotations[index] ?? null;
    if (rotation !== null) node.set(PDFName.of('Rotate'), PDFNumber.of(rotation));
  });
  return document.save();
}

describe('rotate', () => {
  it('turns every page clockwise by the angle, from how it is seen now', async () => {
    expect(await rotationsAfter(await turnedPdf([0, 90, 180, 270, null]), { angle: 90 })).toEqual([
      90, 180, 270, 0, 180,
    ]);
    expect(await rotationsAfter(await turnedPdf([0, -90, 450, null]), { angle: -180 })).toEqual([180, 90, 270, 270]);
  });

  it('sets the rotation in absolute mode, over an inherited one too', async () => {
    expect(await rotationsAfter(await turnedPdf([180, null]), { angle: 0, mode: 'absolute' })).toEqual([0, 0]);
    expect(await rotationsAfter(await turnedPdf([180, null]), { angle: -90, mode: 'absolute' })).toEqual([270, 270]);
  });

  it('takes a rotation that is no multiple of 90 as viewers do', async () => {
    expect(await rotationsAfter(await turnedPdf([45, 100.5, -1]), { angle: 90 })).toEqual([90, 180, 90]);
  });

  it.each([
    ['1-3,5,-1', [90, 90, 90, 0, 90, 90]],
    ['2,2,2-3', [0, 90, 90, 0, 0, 0]],
    ['3-1', [90, 90, 90, 0, 0, 0]],
    ['4-', [0, 0, 0, 90, 90, 90]],
  ])('turns the pages %s, each once', async (pages, rotations) => {
    expect(await rotationsAfter(await turnedPdf([0, 0, 0, 0, 0, 0]), { angle: 90, pages })).toEqual(rotations);
  });

  it.each(['9-', '7', '1-7', '-7'])('fails with page_out_of_range on %s of six pages', async (pages) => {
    await expect(turn(await samplePdf(widthsFrom(100, 6)), { angle: 90, pages })).rejects.toMatchObject({
      failure: { code: 'page_out_of_range', input: 0, message: expect.stringContaining(`"${pages}"`) },
    });
  });

  it('reports each page as it is done, of those that are turned', async () => {
    await turn(await samplePdf(widthsFrom(100, 5)), { angle: 90, pages: '2-3' });
    expect(progress).toEqual([
      [1, 2],
      [2, 2],
    ]);
  });

  it('keeps what the document has besides its pages, and warns of nothing but its signature', async () => {
    const signed = await samplePdf([100], { signed: true, tagged: true, title: 'Title' });
    const { outputs, warnings } = await turn(signed, { angle: 90 });
    expect(warnings).toEqual(['signature_invalidated']);
    expect(outputs).toEqual([{ path: outputs[0]?.path, name: 'rotated.pdf', mediaType: 'application/pdf', pages: 1 }]);
    const document = await PDFDocument.load(await readFile(outputs[0]?.path ?? ''), { updateMetadata: false });
    expect(document.getTitle()).toBe('Title');
    for (const key of ['AcroForm', 'StructTreeRoot']) expect(document.catalog.has(PDFName.of(key))).toBe(true);
  });

  it('makes the same bytes of the same input', async () => {
    const content = await samplePdf([100]);
    const made = await Promise.all(
      [1, 2].map(async () => readFile((await turn(content, { angle: 90 })).outputs[0]?.path ?? '')),
    );
    expect(made[0]?.equals(made[1] ?? Buffer.alloc(0))).toBe(true);
  });

  it.each([
    ['corrupt_document', corruptPdf()],
    ['corrupt_document', endlessPageTreePdf()],
    ['not_a_pdf', Buffer.from('<html>')],
  ])('fails with %s on what is no sound document', async (code, content) => {
    await expect(turn(content, { angle: 90 })).rejects.toMatchObject({ failure: { code, input: 0 } });
  });

  it('counts the pages against the limit', async () => {
    await expect(turn(await samplePdf(widthsFrom(100, 3)), { angle: 90 }, 2)).rejects.toMatchObject({
      failure: { code: 'limit_exceeded', input: 0 },
    });
  });
});

describe('the options of rotate', () => {
  function messagesOf(options: unknown): string[] {
    const parsed = rotate.optionsSchema.safeParse(options);
    return parsed.success ? [] : parsed.error.issues.map(({ path, message }) => `/${path.join('/')}: ${message}`);
  }

  it('are an angle, and by default relative to how each page is seen', () => {
    expect(rotate.optionsSchema.parse({ angle: 90 })).toEqual({ angle: 90, mode: 'relative' } satisfies RotateOptions);
  });

  it.each([
    [{}, '/angle: is missing'],
    [{ angle: 45 }, '/angle: 45 is not a multiple of 90'],
    [{ angle: '90' }, '/angle: "90" is no angle'],
    [{ angle: 9_000_000 }, '/angle: '],
    [{ angle: 90, mode: 'set' }, '/mode: "set" is no mode'],
    [{ angle: 90, pages: '0' }, '/pages: "0" is no selection of pages'],
    [{ angle: 90, pages: '1-3,' }, '/pages: "1-3," is no selection of pages'],
    [{ angle: 90, pages: 3 }, '/pages: '],
    [{ angle: 90, page: '3' }, '/: Unrecognized key: "page"'],
  ])('refuse %j and say where', (options, message) => {
    expect(messagesOf(options)).toEqual([expect.stringContaining(message)]);
  });
});
