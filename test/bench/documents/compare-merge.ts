import { join } from 'node:path';
import { compareRuns } from './compare-runs.js';
import type { Line } from './line.js';
import { generateDocuments, inputsOf, type MergeInputs } from './merge-inputs.js';
import { programVersion, qpdfCodes, runProgram } from './run-program.js';
import type { Product } from './run-product.js';

/** How often longer than qpdf a merge may take: where all inputs open as they are, and where some do not. */
const timeTargets = [2, 3];

/** Merges twenty documents with the product, qpdf, and pdfcpu where it is installed. */
export async function compareMerge(
  product: Product,
  { root, samples, pairs }: { readonly root: string; readonly samples: string | null; readonly pairs: number },
): Promise<Line[]> {
  const generated = join(root, 'generated');
  if (samples === null) await generateDocuments(generated);
  const sets = await inputsOf({ product, root }, samples ?? generated, samples === null ? 'generated' : 'real');
  const lines: Line[] = [];
  for (const [index, { title, paths }] of sets.entries()) {
    const targets = { bytes: 1, time: timeTargets[index] ?? null };
    lines.push(...(await compareRuns(title, toolsOf(product, paths, root), { pairs, targets })));
  }
  return lines;
}

function toolsOf(product: Product, paths: MergeInputs['paths'], root: string) {
  const qpdf = (directory: string): string[] => ['--empty', '--pages', ...paths, '--', join(directory, 'merged.pdf')];
  const pdfcpu = (directory: string): string[] => ['merge', join(directory, 'merged.pdf'), ...paths];
  return {
    product: () => product.measure({ operation: 'merge', options: {}, paths }),
    qpdf: () => runProgram('qpdf', qpdf, { root, accepted: qpdfCodes }),
    ...(programVersion('pdfcpu', ['version']) === null ? {} : { pdfcpu: () => runProgram('pdfcpu', pdfcpu, { root }) }),
  };
}
