import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type OperationName, operationNames, operations } from '#libs/pdf';
import { ampleBudget } from '../support/documents/ample-budget.js';
import { checkWithQpdf, sound } from '../support/documents/check-with-qpdf.js';
import { makeDocument } from '../support/documents/make-document.js';
import { readWithPdfium } from '../support/documents/read-with-pdfium.js';

/** What each operation is asked for: all pages stay, in their order. */
const optionsOf: Readonly<Record<OperationName, unknown>> = {
  merge: {},
  split: { by: 'ranges', ranges: ['1-'] },
  pages: { keep: '1-' },
  rotate: { angle: 90 },
  watermark: { text: 'DRAFT', position: 'bottom' },
};

const pairs = operationNames.flatMap((first) => operationNames.map((second) => [first, second] as const));

let directory: string;
beforeEach(async () => {
  directory = await mkdtemp(join(tmpdir(), 'chains-'));
});
afterEach(() => rm(directory, { recursive: true, force: true }));

/** The one document that an operation makes of another. */
async function run(name: OperationName, content: Uint8Array): Promise<Uint8Array> {
  const outputDirectory = await mkdtemp(join(directory, 'out-'));
  const path = join(outputDirectory, 'in', 'in.pdf');
  await mkdir(join(outputDirectory, 'in'));
  await writeFile(path, content);
  const operation = await operations[name].load();
  const { outputs } = await operation.run({
    options: operations[name].optionsSchema.parse(optionsOf[name]),
    inputs: [{ path, name: 'in.pdf', password: null, pages: null }],
    outputDirectory,
    maxPages: 100,
    budget: ampleBudget(),
    report: () => undefined,
  });
  return readFile(outputs[0]?.path ?? '');
}

/** Whether a page lies on its side after these operations, and how often it is marked. */
function editsOf(chain: readonly OperationName[]): { isSideways: boolean; marks: number } {
  const count = (name: OperationName): number => chain.filter((operation) => operation === name).length;
  return { isSideways: count('rotate') % 2 === 1, marks: count('watermark') };
}

describe('the output of an operation', () => {
  it.each(pairs)('of %s, given to %s and to each again, has all edits and no more bytes (row 25)', async (...pair) => {
    const source = await makeDocument('chain', 3);
    const first = await run(pair[0], source);
    const second = await run(pair[1], first);
    for (const third of operationNames) {
      const content = await run(third, second);
      const { isSideways, marks } = editsOf([...pair, third]);
      expect(await checkWithQpdf(content)).toEqual(sound);
      const { pages } = await readWithPdfium(content);
      expect(pages.map(({ width, height }) => width > height)).toEqual(Array(3).fill(isSideways));
      for (const [index, { text }] of pages.entries()) {
        expect(text).toContain(`chain page ${index + 1}`);
        expect(text.split('DRAFT')).toHaveLength(marks + 1);
      }
      if (third !== 'watermark') expect(Math.abs(content.byteLength / second.byteLength - 1)).toBeLessThan(0.05);
    }
  });
});
