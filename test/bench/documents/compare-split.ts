import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { makeSharedBook } from '../../support/documents/make-shared-book.js';
import { compareRuns } from './compare-runs.js';
import { information, type Line } from './line.js';
import { programVersion, runProgram } from './run-program.js';
import type { Product } from './run-product.js';

const bookPages = 165;

/** Splits a book whose pages share their pictures into pages, with the product, qpdf, and pdfcpu where it is installed. */
export async function compareSplit(product: Product, root: string, pairs: number): Promise<Line[]> {
  const book = join(root, 'book.pdf');
  const bytes = await makeSharedBook({ pages: bookPages });
  await writeFile(book, bytes);
  const tools = {
    product: () => product.measure({ operation: 'split', options: {}, paths: [book] }),
    qpdf: () => runProgram('qpdf', (directory) => ['--split-pages', book, join(directory, 'part.pdf')], { root }),
    ...(programVersion('pdfcpu', ['version']) === null
      ? {}
      : { pdfcpu: () => runProgram('pdfcpu', (directory) => ['split', book, directory, '1'], { root }) }),
  };
  const targets = { bytes: 1.1, time: null };
  return [
    ...(await compareRuns(`split of a book of ${bookPages} pages`, tools, { pairs, targets })),
    information('the book', `${(bytes.byteLength / 1e6).toFixed(1)} MB`),
  ];
}
