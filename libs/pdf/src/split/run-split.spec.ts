import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { PDFDocument, PDFPageLeaf } from 'pdf-lib';
import { makeDocument } from '../../../../test/support/documents/make-document.js';
import { addOutline } from '../../../../test/support/documents/make-outline.js';
import { linkedPdf, pageWidths, samplePdf, widthsFrom } from '../../../../test/support/pdf-samples.js';
import { OutputBudget } from '../document/write/output-budget.js';
import type { OperationOutcome } from '../operation.js';
import { runSplit } from './run-split.js';
import type { SplitOptions } from './split.js';

let directory: string;
let progress: Array<[number, number]>;

beforeEach(async () => {
  directory = await mkdtemp(join(tmpdir(), 'run-split-'));
  progress = [];
});

afterEach(() => rm(directory, { recursive: true, force: true }));

async function split(
  content: Uint8Array,
  options: SplitOptions,
  maxPages = 1000,
  maxOutputs = 1000,
): Promise<OperationOutcome> {
  const outputDirectory = await mkdtemp(join(directory, 'out-'));
  const path = join(directory, 'input');
  await writeFile(path, content);
  const report = (done: number, total: number): void => void progress.push([done, total]);
  return runSplit({
    options,
    inputs: [{ path, name: 'report.pdf', password: null, pages: null }],
    outputDirectory,
    maxPages,
    budget: new OutputBudget({ maxOutputs, maxOutputBytes: 2 ** 30 }),
    report,
  });
}

async function widthsOf({ outputs }: OperationOutcome): Promise<number[][]> {
  return Promise.all(outputs.map(async ({ path }) => pageWidths(await readFile(path))));
}

describe('split', () => {
  it('makes one document of each page, in their order (contract 2.4)', async () => {
    const outcome = await split(await samplePdf(widthsFrom(100, 12)), { by: 'pages' });
    expect(await widthsOf(outcome)).toEqual(widthsFrom(100, 12).map((width) => [width]));
    expect(outcome.outputs[1]).toMatchObject({ name: 'report-02.pdf', mediaType: 'application/pdf', pages: 1 });
    expect(new Set(outcome.outputs.map(({ name }) => name)).size).toBe(12);
  });

  it('makes one document of each range, in the order of the ranges, with pages taken as often as they are named', async () => {
    const ranges = ['4-', '1-3', '-1', '-3--1', '2', '2'];
    const outcome = await split(await samplePdf(widthsFrom(1, 6)), { by: 'ranges', ranges });
    expect(await widthsOf(outcome)).toEqual([[4, 5, 6], [1, 2, 3], [6], [4, 5, 6], [2], [2]]);
    expect(outcome.outputs.map(({ name }) => name)).toEqual([
      'report-4-6.pdf',
      'report-1-3.pdf',
      'report-6.pdf',
      'report-4-6_2.pdf',
      'report-2.pdf',
      'report-2_2.pdf',
    ]);
    expect(outcome.outputs.map(({ pages }) => pages)).toEqual([3, 3, 1, 3, 1, 1]);
  });

  it('takes ranges in the order in which they are named, backwards too', async () => {
    const outcome = await split(await samplePdf(widthsFrom(1, 6)), { by: 'ranges', ranges: ['3-1', '1-2,6', '2,2'] });
    expect(await widthsOf(outcome)).toEqual([
      [3, 2, 1],
      [1, 2, 6],
      [2, 2],
    ]);
    expect(outcome.outputs.map(({ name }) => name)).toEqual(['report-3-1.pdf', 'report-1-2,6.pdf', 'report-2,2.pdf']);
  });

  it('makes parts of so many pages, the last of those that are left', async () => {
    const outcome = await split(await samplePdf(widthsFrom(1, 7)), { by: 'every', pages: 3 });
    expect(await widthsOf(outcome)).toEqual([[1, 2, 3], [4, 5, 6], [7]]);
    expect(await widthsOf(await split(await samplePdf([1, 2]), { by: 'every', pages: 9 }))).toEqual([[1, 2]]);
  });

  it('makes each part as large as its size allows, and says of a page that is larger', async () => {
    const content = await samplePdf(widthsFrom(1, 40));
    const sizeOf = async (outcome: OperationOutcome): Promise<number[]> =>
      Promise.all(outcome.outputs.map(async ({ path }) => (await readFile(path)).length));
    const single = Math.max(...(await sizeOf(await split(content, { by: 'pages' }))));
    const maxBytes = single * 3;
    const outcome = await split(content, { by: 'size', max_bytes: maxBytes });
    expect((await widthsOf(outcome)).flat()).toEqual(widthsFrom(1, 40));
    expect(Math.max(...(await sizeOf(outcome)))).toBeLessThanOrEqual(maxBytes);
    expect(outcome.warnings).toEqual([]);
    const [first] = outcome.outputs;
    const oneMore = await split(content, { by: 'every', pages: (first?.pages ?? 0) + 1 });
    expect((await sizeOf(oneMore))[0]).toBeGreaterThan(maxBytes);
    expect(progress).toContainEqual([first?.pages, 40]);

    const tooSmall = await split(content, { by: 'size', max_bytes: 10 });
    expect(tooSmall.outputs).toHaveLength(40);
    expect(tooSmall.warnings).toEqual(['part_oversize']);
  });

  it('makes a part of each chapter at the top of the outline, and of what is before them', async () => {
    const to = (page: number): { readonly to: { readonly page: number } } => ({ to: { page } });
    const outline = addOutline([
      { title: 'Late', ...to(6) },
      { title: 'Early: a/b', ...to(2), items: [{ title: 'Within', ...to(4) }] },
      { title: 'On the same page', ...to(2) },
      { title: 'Elsewhere', to: { uri: 'https://example.com/' } },
      { title: 'Nowhere' },
    ]);
    const outcome = await split(await makeDocument('book', 8, outline), { by: 'outline' });
    expect(outcome.outputs.map(({ name, pages }) => [name, pages])).toEqual([
      ['report-1-2.pdf', 2],
      ['report-3-6-Early ab.pdf', 4],
      ['report-7-8-Late.pdf', 2],
    ]);
    expect(outcome.warnings).toEqual([]);
  });

  it('leaves a document without an outline in one part, and says so', async () => {
    const outcome = await split(await samplePdf([100, 200]), { by: 'outline' });
    expect(outcome.outputs.map(({ name }) => name)).toEqual(['report-1-2.pdf']);
    expect(outcome.warnings).toEqual(['no_outline']);
  });

  it('reports the pages that are written, of those that will be', async () => {
    await split(await samplePdf(widthsFrom(1, 6)), { by: 'ranges', ranges: ['1-3', '6'] });
    expect(progress).toEqual([
      [3, 4],
      [4, 4],
    ]);
  });

  it('fails before it writes anything when a range leaves the document, naming range and pages', async () => {
    const splitting = split(await samplePdf([100, 200]), { by: 'ranges', ranges: ['1', '2-5'] });
    await expect(splitting).rejects.toMatchObject({
      failure: {
        code: 'page_out_of_range',
        input: 0,
        message: 'The range "2-5" is not in input 0, which has 2 pages.',
      },
    });
    expect(progress).toEqual([]);
  });

  it('keeps the description of the document in each part, and adds no date', async () => {
    const { outputs } = await split(await samplePdf([100, 200], { title: 'Report' }), { by: 'pages' });
    for (const { path } of outputs) {
      const part = await PDFDocument.load(await readFile(path), { updateMetadata: false });
      expect([part.getTitle(), part.getProducer(), part.getCreationDate()]).toEqual(['Report', 'pdfonce', undefined]);
    }
  });

  it('makes the same bytes of the same input', async () => {
    const content = await samplePdf([100, 200]);
    const [first, second] = [await split(content, { by: 'pages' }), await split(content, { by: 'pages' })];
    const bytes = async ({ outputs }: OperationOutcome): Promise<Buffer[]> =>
      Promise.all(outputs.map(({ path }) => readFile(path)));
    expect(await bytes(first)).toEqual(await bytes(second));
    expect(dirname(first.outputs[0]?.path ?? '')).not.toBe(dirname(second.outputs[0]?.path ?? ''));
  });

  it('carries nothing of another page along, even when a page links to it', async () => {
    const content = await linkedPdf('for other eyes');
    expect(Buffer.from(content).includes('for other eyes')).toBe(true);
    const { outputs } = await split(content, { by: 'pages' });
    const parts = await Promise.all(outputs.map(({ path }) => readFile(path)));
    expect(parts.map((part) => part.includes('for other eyes'))).toEqual([false, true]);
    const first = await PDFDocument.load(parts[0] ?? '', { updateMetadata: false });
    expect(first.getPage(0).node.Annots()?.size()).toBe(1);
    expect(first.context.enumerateIndirectObjects().filter(([, object]) => object instanceof PDFPageLeaf)).toHaveLength(
      1,
    );
  });

  it('warns of a signature that the parts do not carry (contract 2.10)', async () => {
    const { warnings } = await split(await samplePdf([100], { signed: true }), { by: 'pages' });
    expect(warnings).toContain('signature_invalidated');
  });

  it('refuses a part with more pages than the limit (contract 2.1)', async () => {
    const splitting = split(await samplePdf([1, 2, 3]), { by: 'ranges', ranges: ['1-,1-'] }, 5);
    await expect(splitting).rejects.toMatchObject({ failure: { code: 'limit_exceeded', input: 0 } });
  });

  it('refuses a document with more pages than the limit (contract 2.1)', async () => {
    await expect(split(await samplePdf(widthsFrom(1, 6)), { by: 'pages' }, 5)).rejects.toMatchObject({
      failure: { code: 'limit_exceeded', input: 0 },
    });
  });

  it('makes no document when there would be more than MAX_OUTPUTS', async () => {
    await expect(split(await samplePdf(widthsFrom(100, 4)), { by: 'pages' }, 10, 3)).rejects.toMatchObject({
      failure: { code: 'limit_exceeded', limit: { name: 'MAX_OUTPUTS', allowed: 3, actual: 4 } },
    });
    expect(progress).toEqual([]);
  });
});
