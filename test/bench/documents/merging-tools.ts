import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { PDFDocument } from 'pdf-lib';
import { packageRoot } from '../../support/package-root.js';
import { programVersion } from './run-program.js';
import type { Product } from './run-product.js';

/** Something that merges documents; `merge` gives the bytes of the result. */
export interface MergingTool {
  readonly name: string;
  /** `null` where it is not installed. */
  readonly version: string | null;
  merge(paths: readonly string[]): Promise<Uint8Array>;
}

/** The product and the tools that it is held against. */
export function mergingTools(product: Product, root: string): MergingTool[] {
  const program = (
    name: string,
    version: string | null,
    args: (output: string, paths: readonly string[]) => readonly string[],
  ): MergingTool => ({ name, version, merge: (paths) => mergeWith(name.split(' ')[0] ?? name, args, paths, root) });
  const qpdf = programVersion('qpdf');
  return [
    { name: 'pdfonce', version: 'pdfonce of this tree', merge: (paths) => mergeWithProduct(product, paths) },
    program('qpdf --empty', qpdf, (output, paths) => ['--empty', '--pages', ...paths, '--', output]),
    program('qpdf A --pages A B', qpdf, (output, paths) => [paths[0] ?? '', '--pages', ...paths, '--', output]),
    { name: 'pdf-lib copyPages', version: pdfLibVersion(), merge: mergeWithPdfLib },
    program('pdfunite', programVersion('pdfunite', ['-v']), (output, paths) => [...paths, output]),
    program('mutool merge', programVersion('mutool', ['-v']), (output, paths) => ['merge', '-o', output, ...paths]),
    program('pdfcpu merge', programVersion('pdfcpu', ['version']), (output, paths) => ['merge', output, ...paths]),
  ];
}

function mergeWithProduct(product: Product, paths: readonly string[]): Promise<Uint8Array> {
  return product.run({ operation: 'merge', options: {}, paths }, async (result) => {
    if (result.outcome !== 'completed') throw new Error(`merge: ${JSON.stringify(result)}`);
    return readFile(result.outputs[0]?.path ?? '');
  });
}

function pdfLibVersion(): string {
  const text = readFileSync(join(packageRoot, 'node_modules/pdf-lib/package.json'), 'utf8');
  return `pdf-lib ${(JSON.parse(text) as { version: string }).version}`;
}

async function mergeWithPdfLib(paths: readonly string[]): Promise<Uint8Array> {
  const merged = await PDFDocument.create();
  for (const path of paths) {
    const source = await PDFDocument.load(await readFile(path));
    for (const page of await merged.copyPages(source, source.getPageIndices())) merged.addPage(page);
  }
  return merged.save();
}

async function mergeWith(
  program: string,
  args: (output: string, paths: readonly string[]) => readonly string[],
  paths: readonly string[],
  root: string,
): Promise<Uint8Array> {
  const output = join(root, `${program}.pdf`);
  const { status, stderr } = spawnSync(program, args(output, paths), { encoding: 'utf8' });
  if (status !== 0 && status !== 3) throw new Error(`${program} ended with ${status}: ${stderr}`);
  return readFile(output);
}
