import { execFileSync } from 'node:child_process';
import { mkdtemp, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import fc from 'fast-check';
import { PDFDocument } from 'pdf-lib';
import { operations, type OperationName } from '#libs/pdf';
import { OutputBudget } from '../../libs/pdf/src/document/write/output-budget.js';
import { checkWithQpdf, hasQpdfProgram, sound } from '../support/documents/check-with-qpdf.js';
import { compareRenders } from '../support/documents/compare-renders.js';
import { addAnnotations } from '../support/documents/make-annotations.js';
import { addBoxes, makeInheritedBoxes } from '../support/documents/make-boxes.js';
import { addLinks } from '../support/documents/make-links.js';
import { type Addition, makeDocument } from '../support/documents/make-document.js';
import { makeSharedBook } from '../support/documents/make-shared-book.js';
import { readWithPdfium } from '../support/documents/read-with-pdfium.js';
import { renderWithPdfium } from '../support/documents/render-with-pdfium.js';
import { samplePdf, widthsFrom } from '../support/pdf-samples.js';

let directory: string;
beforeEach(async () => {
  directory = await mkdtemp(join(tmpdir(), 'split-documents-'));
});
afterEach(() => rm(directory, { recursive: true, force: true }));

/** The documents that an operation makes of one. */
async function run(
  name: OperationName,
  content: Uint8Array,
  options: unknown,
  maxPages = 10_000,
): Promise<Uint8Array[]> {
  const outputDirectory = await mkdtemp(join(directory, 'out-'));
  const path = join(directory, 'in.pdf');
  await writeFile(path, content);
  const inputs = [{ path, name: 'in.pdf', password: null, pages: null }];
  const budget = new OutputBudget({ maxOutputs: 1_000, maxOutputBytes: 2 ** 30 });
  const operation = await operations[name].load();
  const parsed = operations[name].optionsSchema.parse(options);
  const { outputs } = await operation.run({
    options: parsed,
    inputs,
    outputDirectory,
    maxPages,
    budget,
    report: () => undefined,
  });
  return Promise.all(outputs.map(async (output) => new Uint8Array(await readFile(output.path))));
}

const sizeOf = (parts: readonly Uint8Array[]): number => parts.reduce((sum, part) => sum + part.byteLength, 0);

/** Expects each part to be sound, and its pages to look and read as those of the source do. */
async function expectSame(source: Uint8Array, part: Uint8Array, pages: readonly number[]): Promise<void> {
  expect(await checkWithQpdf(part)).toEqual(sound);
  const [from, to] = [await readWithPdfium(source), await readWithPdfium(part)];
  const seen = ({ width, height, text }: (typeof to.pages)[number]): unknown => ({ width, height, text });
  expect(to.pages.map(seen)).toEqual(pages.map((page) => from.pages[page]).map((page) => page && seen(page)));
  for (const [at, page] of pages.entries()) {
    const renders = [
      await renderWithPdfium(source, page, { dpi: 36 }),
      await renderWithPdfium(part, at, { dpi: 36 }),
    ] as const;
    expect(compareRenders(...renders).differingShare).toBe(0);
  }
}

describe('split to pages', () => {
  it('makes a link to a page that is elsewhere inert, and does not carry that page along (row 8)', async () => {
    const source = await makeDocument(
      'linked',
      3,
      addLinks([
        { from: 0, to: { page: 2 } },
        { from: 0, to: { page: 0 } },
      ]),
    );
    const [part = new Uint8Array()] = await run('split', source, { by: 'ranges', ranges: ['1'] });
    const opened = await PDFDocument.load(part, { updateMetadata: false });
    const streams = opened.context.enumerateIndirectObjects().map(([, object]) => String(object));
    expect(streams.filter((text) => text.includes('/Type /Page\n'))).toHaveLength(1);
    expect(part.byteLength).toBeLessThan(source.byteLength);
    await expectSame(source, part, [0]);
  });

  it('makes no more bytes of a book that shares its images than 1.1 times what qpdf makes (row 33)', async () => {
    const book = await makeSharedBook({ pages: 60 });
    const parts = await run('split', book, { by: 'pages' });
    expect(parts).toHaveLength(60);
    expect(sizeOf(parts)).toBeLessThan(60 * 90_000);
    if (hasQpdfProgram) expect(sizeOf(parts)).toBeLessThanOrEqual(1.1 * (await sizeByQpdf()));
    for (const page of [0, 31, 59]) await expectSame(book, parts[page] ?? new Uint8Array(), [page]);
  });

  it('keeps boxes and rotation that pages inherit', async () => {
    const source = await makeInheritedBoxes('boxes');
    for (const [page, part] of (await run('split', source, {})).entries()) await expectSame(source, part, [page]);
  });
});

describe('pages', () => {
  it('makes the document smaller by what it deletes (row 36)', async () => {
    const book = await makeSharedBook({ pages: 50 });
    const [rest = new Uint8Array()] = await run('pages', book, { delete: '6-' });
    expect(rest.byteLength).toBeLessThan(0.2 * book.byteLength);
    await expectSame(book, rest, [0, 1, 2, 3, 4]);
  });
});

describe('a chain of split and pages', () => {
  it('still has the pages, and no more bytes, after three rounds (row 25)', async () => {
    const source = await makeDocument('chain', 6, addAnnotations(1), addLinks([{ from: 1, to: { page: 2 } }]));
    let [content = new Uint8Array()] = await run('pages', source, { keep: '-1-1' });
    const { byteLength } = content;
    for (let round = 0; round < 2; round += 1) {
      [content = new Uint8Array()] = await run('split', content, { by: 'ranges', ranges: ['1-'] });
      [content = new Uint8Array()] = await run('pages', content, { keep: '1-' });
    }
    expect(Math.abs(content.byteLength / byteLength - 1)).toBeLessThan(0.05);
    await expectSame(source, content, [5, 4, 3, 2, 1, 0]);
  });
});

describe('a document of 20,000 pages', () => {
  it.each([
    ['split', {}],
    ['pages', { keep: '1' }],
    ['merge', {}],
  ] as const)('goes beyond the limit, which %s says (row 46)', async (name, options) => {
    await expect(run(name, bytesOfPages(20_000), options)).rejects.toMatchObject({
      failure: { code: 'limit_exceeded', limit: { name: 'MAX_PAGES', allowed: 10_000, actual: 20_000 } },
    });
  });
});

describe('ranges', () => {
  it('mean what is documented: lists, from the end, repeated and backwards; what is not there fails (row 48)', async () => {
    const source = await samplePdf(widthsFrom(1, 9));
    const ranges = ['1-3,5,-1', '9-', '2,2', '3-1', '-1--2'];
    const parts = await run('split', source, { by: 'ranges', ranges });
    const widths = await Promise.all(
      parts.map(async (part) => (await readWithPdfium(part)).pages.map(({ width }) => width)),
    );
    expect(widths).toEqual([[1, 2, 3, 5, 9], [9], [2, 2], [3, 2, 1], [9, 8]]);
    for (const range of ['10', '9-10', '-10'])
      await expect(run('split', source, { by: 'ranges', ranges: [range] })).rejects.toMatchObject({
        failure: { code: 'page_out_of_range' },
      });
    for (const range of ['0', '1,0', ''])
      expect(operations.split.optionsSchema.safeParse({ by: 'ranges', ranges: [range] }).success).toBe(false);
  });
});

describe('any pages of any document', () => {
  const addition = fc.oneof(
    fc.nat(2).map(addAnnotations),
    fc.tuple(fc.nat(2), fc.constantFrom(0, 90, 180, 270)).map(([page, rotate]): Addition =>
      addBoxes(page, {
        mediaBox: [10, 20, 310, 420],
        cropBox: [20, 60, 250, 400],
        rotate: rotate,
      }),
    ),
    fc.tuple(fc.nat(2), fc.nat(2)).map(([from, page]) => addLinks([{ from, to: { page } }])),
  );

  it('look and read as they do in their document', async () => {
    const document = fc.oneof(
      fc.array(addition, { maxLength: 3 }).map((additions) => () => makeDocument('any', 3, ...additions)),
      fc.constant(() => makeSharedBook({ pages: 3, imageBytes: 500, logoBytes: 900 })),
      fc.constant(() => makeInheritedBoxes('any')),
    );
    const pages = fc.array(fc.nat(2), { minLength: 1, maxLength: 5 });
    await fc.assert(
      fc.asyncProperty(document, pages, async (make, indices) => {
        const source = await make();
        const [part = new Uint8Array()] = await run('pages', source, { keep: indices.map((page) => page + 1).join() });
        await expectSame(source, part, indices);
      }),
      { numRuns: 15 },
    );
  });
});

/** A document of so many empty pages. */
function bytesOfPages(count: number): Uint8Array {
  const numbers = Array.from({ length: count }, (_, index) => index + 3);
  const page = '<</Type/Page/Parent 2 0 R/MediaBox[0 0 9 9]>>';
  const kids = numbers.map((number) => `${number} 0 R`).join(' ');
  const objects = [
    '<</Type/Catalog/Pages 2 0 R>>',
    `<</Type/Pages/Count ${count}/Kids[${kids}]>>`,
    ...numbers.map(() => page),
  ];
  let file = '%PDF-1.5\n';
  const offsets = objects.map((object, index) => {
    const offset = file.length;
    file += `${index + 1} 0 obj\n${object}\nendobj\n`;
    return `${String(offset).padStart(10, '0')} 00000 n \n`;
  });
  const size = objects.length + 1;
  const table = `xref\n0 ${size}\n0000000000 65535 f \n${offsets.join('')}`;
  return Buffer.from(`${file}${table}trailer\n<</Size ${size}/Root 1 0 R>>\nstartxref\n${file.length}\n%%EOF\n`);
}

/** The bytes of all pages of the document that was split last, as qpdf writes them. */
async function sizeByQpdf(): Promise<number> {
  const out = await mkdtemp(join(directory, 'qpdf-'));
  execFileSync('qpdf', ['--split-pages', join(directory, 'in.pdf'), join(out, 'part.pdf')]);
  const sizes = await Promise.all((await readdir(out)).map(async (name) => (await stat(join(out, name))).size));
  return sizes.reduce((sum, size) => sum + size, 0);
}
