import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { PDFDocument } from 'pdf-lib';
import {
  corruptPdf,
  encryptedPdf,
  endlessPageTreePdf,
  pageWidths,
  samplePdf,
  widthsFrom,
} from '../../../../test/support/pdf-samples.js';
import { OutputBudget } from '../document/write/output-budget.js';
import type { InputFile, OperationOutcome } from '../operation.js';
import { runMerge } from './run-merge.js';

let directory: string;
let progress: Array<[number, number]>;

beforeEach(async () => {
  directory = await mkdtemp(join(tmpdir(), 'run-merge-'));
  progress = [];
});

afterEach(() => rm(directory, { recursive: true, force: true }));

async function inputs(...contents: Uint8Array[]): Promise<InputFile[]> {
  return Promise.all(
    contents.map(async (content, index) => {
      const path = join(directory, `input-${index}`);
      await writeFile(path, content);
      return { path, name: `${index}.pdf`, password: null, pages: null };
    }),
  );
}

async function merge(contents: Uint8Array[], maxPages = 1000): Promise<OperationOutcome> {
  const outputDirectory = await mkdtemp(join(directory, 'out-'));
  const report = (done: number, total: number): void => void progress.push([done, total]);
  const budget = new OutputBudget({ maxOutputs: 1, maxOutputBytes: 2 ** 20 });
  return runMerge({
    options: { outline: 'by_input', flatten: false },
    inputs: await inputs(...contents),
    outputDirectory,
    maxPages,
    budget,
    report,
  });
}

async function mergedBytes(contents: Uint8Array[]): Promise<Buffer> {
  const { outputs } = await merge(contents);
  return readFile(outputs[0]?.path ?? '');
}

describe('merge', () => {
  it('puts all pages of all inputs into one document, in their order (contract 2.4)', async () => {
    const { outputs, warnings } = await merge([
      await samplePdf(widthsFrom(100, 3)),
      await samplePdf(widthsFrom(500, 1)),
      await samplePdf(widthsFrom(300, 2)),
    ]);
    expect(outputs).toEqual([{ path: outputs[0]?.path, name: 'merged.pdf', mediaType: 'application/pdf', pages: 6 }]);
    expect(warnings).toEqual([]);
    expect(await pageWidths(await readFile(outputs[0]?.path ?? ''))).toEqual([100, 101, 102, 500, 300, 301]);
  });

  it('reports each input as it is done', async () => {
    await merge([await samplePdf([100]), await samplePdf([200]), await samplePdf([300])]);
    expect(progress).toEqual([
      [1, 3],
      [2, 3],
      [3, 3],
    ]);
  });

  it('takes the same document twice', async () => {
    const document = await samplePdf([100, 200]);
    expect(await pageWidths(await mergedBytes([document, document]))).toEqual([100, 200, 100, 200]);
  });

  it('takes a single document', async () => {
    expect(await pageWidths(await mergedBytes([await samplePdf([100, 200])]))).toEqual([100, 200]);
  });

  it('makes the same bytes of the same inputs, whatever the time is', async () => {
    const contents = [await samplePdf([100]), await samplePdf([200])];
    expect((await mergedBytes(contents)).equals(await mergedBytes(contents))).toBe(true);
  });

  it('keeps the description of the first input and adds no date', async () => {
    const createdAt = new Date('2001-02-03T04:05:06Z');
    const first = await samplePdf([100], { title: 'First', createdAt });
    const merged = await PDFDocument.load(await mergedBytes([first, await samplePdf([200], { title: 'Second' })]), {
      updateMetadata: false,
    });
    expect(merged.getTitle()).toBe('First');
    expect(merged.getCreationDate()).toEqual(createdAt);
    expect(merged.getModificationDate()).toBeUndefined();
    expect(merged.getProducer()).toBe('pdfonce');
  });

  it('warns once of what the result has lost (contract 2.10)', async () => {
    const signed = await samplePdf([100], { signed: true });
    const { warnings } = await merge([signed, await samplePdf([200]), signed]);
    expect(warnings).toEqual(['signature_invalidated']);
  });

  it.each([
    ['not_a_pdf', Buffer.from('')],
    ['not_a_pdf', Buffer.from('<html>%PDF is what it says</html>')],
    ['not_a_pdf', Buffer.concat([Buffer.alloc(5_000, 'x'), Buffer.from('%PDF-1.7')])],
    ['corrupt_document', Buffer.from('%PDF-1.7')],
    ['corrupt_document', corruptPdf()],
    ['corrupt_document', endlessPageTreePdf()],
  ])('fails with %s and names the input', async (code, content) => {
    const merging = merge([await samplePdf([100]), content]);
    await expect(merging).rejects.toMatchObject({
      failure: { code, input: 1, message: expect.stringMatching(/^Input 1 .*\.$/) },
    });
  });

  it('fails with password_required on an encrypted input', async () => {
    await expect(merge([await encryptedPdf()])).rejects.toMatchObject({
      failure: { code: 'password_required', input: 0 },
    });
  });

  it('fails with corrupt_document on a document cut short, and on one without pages', async () => {
    const whole = await samplePdf(widthsFrom(100, 20));
    for (const content of [whole.subarray(0, whole.length * 0.6), await samplePdf([])]) {
      await expect(merge([content])).rejects.toMatchObject({ failure: { code: 'corrupt_document', input: 0 } });
    }
  });

  it('takes a header after some other bytes', async () => {
    const content = Buffer.concat([Buffer.alloc(2_000, 'x'), await samplePdf([100])]);
    expect(await pageWidths(await mergedBytes([content]))).toEqual([100]);
  });

  it('counts the pages of all inputs against the limit, and says both numbers (contract 2.1)', async () => {
    const contents = [await samplePdf(widthsFrom(100, 3)), await samplePdf(widthsFrom(200, 2))];
    await expect(merge(contents, 5)).resolves.toMatchObject({ outputs: [{ pages: 5 }] });
    await expect(merge(contents, 4)).rejects.toMatchObject({
      failure: {
        ...{ code: 'limit_exceeded', input: 1, message: 'With input 1 the job has 5 pages; MAX_PAGES allows 4.' },
        limit: { name: 'MAX_PAGES', allowed: 4, actual: 5 },
      },
    });
  });

  it('does not blame a document for a file that cannot be read', async () => {
    const run = {
      options: { outline: 'by_input' as const, flatten: false },
      inputs: [{ path: join(directory, 'missing'), name: 'a.pdf', password: null, pages: null }],
      outputDirectory: directory,
      budget: new OutputBudget({ maxOutputs: 1, maxOutputBytes: 1 }),
    };
    await expect(runMerge({ ...run, maxPages: 10, report: () => undefined })).rejects.toMatchObject({ code: 'ENOENT' });
  });
});
