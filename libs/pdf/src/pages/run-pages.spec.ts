import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pageWidths, samplePdf, widthsFrom } from '../../../../test/support/pdf-samples.js';
import { OutputBudget } from '../document/write/output-budget.js';
import type { OperationOutcome } from '../operation.js';
import type { PagesOptions } from './pages.js';
import { runPages } from './run-pages.js';

let directory: string;
let progress: Array<[number, number]>;

beforeEach(async () => {
  directory = await mkdtemp(join(tmpdir(), 'run-pages-'));
  progress = [];
});

afterEach(() => rm(directory, { recursive: true, force: true }));

async function choose(content: Uint8Array, options: PagesOptions, maxPages = 100): Promise<OperationOutcome> {
  const outputDirectory = await mkdtemp(join(directory, 'out-'));
  const path = join(directory, 'input');
  await writeFile(path, content);
  const inputs = [{ path, name: 'my/report.PDF', password: null, pages: null }];
  const budget = new OutputBudget({ maxOutputs: 1, maxOutputBytes: 2 ** 30 });
  const report = (done: number, total: number): void => void progress.push([done, total]);
  return runPages({ options, inputs, outputDirectory, maxPages, budget, report });
}

async function widthsAfter(options: PagesOptions): Promise<number[]> {
  const { outputs } = await choose(await samplePdf(widthsFrom(1, 5)), options);
  return pageWidths(await readFile(outputs[0]?.path ?? ''));
}

describe('pages', () => {
  it.each([
    [{ keep: '3,1-2' }, [3, 1, 2]],
    [{ keep: '-1-1' }, [5, 4, 3, 2, 1]],
    [{ keep: '2,2' }, [2, 2]],
    [{ delete: '2' }, [1, 3, 4, 5]],
    [{ delete: '4-,1,4' }, [2, 3]],
  ])('with %j makes a document of the pages %j', async (options, widths) => {
    expect(await widthsAfter(options)).toEqual(widths);
  });

  it('makes one document, which has the name of its source', async () => {
    const { outputs, warnings } = await choose(await samplePdf([1, 2, 3]), { keep: '1-2' });
    expect(outputs).toEqual([{ path: outputs[0]?.path, name: 'report.pdf', mediaType: 'application/pdf', pages: 2 }]);
    expect(warnings).toEqual([]);
    expect(progress).toEqual([[2, 2]]);
  });

  it('makes the same bytes of the same input', async () => {
    const content = await samplePdf([100, 200, 300]);
    const [one, other] = [await choose(content, { delete: '2' }), await choose(content, { delete: '2' })];
    const bytesOf = ({ outputs: [output] }: OperationOutcome): Promise<Buffer> => readFile(output?.path ?? '');
    expect((await bytesOf(one)).equals(await bytesOf(other))).toBe(true);
  });

  it('fails when no page would be left', async () => {
    await expect(choose(await samplePdf([1, 2]), { delete: '1,2' })).rejects.toMatchObject({
      failure: { code: 'page_out_of_range', input: 0, message: expect.stringMatching(/^All pages of input 0 /) },
    });
  });

  it('fails when the document does not have a page that is named', async () => {
    for (const options of [{ keep: '1,3' }, { delete: '3' }])
      await expect(choose(await samplePdf([1, 2]), options)).rejects.toMatchObject({
        failure: { code: 'page_out_of_range', input: 0 },
      });
  });

  it('fails when there would be more pages than the limit (contract 2.1)', async () => {
    await expect(choose(await samplePdf([1, 2]), { keep: '1-,1-' }, 3)).rejects.toMatchObject({
      failure: { code: 'limit_exceeded', limit: { name: 'MAX_PAGES', allowed: 3, actual: 4 } },
    });
  });
});
