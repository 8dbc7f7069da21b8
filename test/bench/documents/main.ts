import { existsSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { cpus, tmpdir } from 'node:os';
import { join } from 'node:path';
import { packageRoot } from '../../support/package-root.js';
import { compareMerge } from './compare-merge.js';
import { compareSplit } from './compare-split.js';
import { comparisonTables } from './comparison-tables.js';
import { lineText } from './line.js';
import { measureContainment } from './measure-containment.js';
import { type DocumentBenchOptions, parseOptions, type PartName } from './options.js';
import { programVersion } from './run-program.js';
import { Product } from './run-product.js';

interface Stage extends DocumentBenchOptions {
  readonly product: Product;
  readonly root: string;
}

const parts: Readonly<Record<PartName, (stage: Stage) => Promise<string[]>>> = {
  split: async ({ product, root, pairs }) => (await compareSplit(product, root, pairs)).map(lineText),
  merge: async ({ product, root, samples, pairs }) =>
    (await compareMerge(product, { root, samples, pairs })).map(lineText),
  containment: async () => (await measureContainment()).map(lineText),
  comparison: ({ product, root }) => comparisonTables(product, root),
};

const samplesBeside = join(packageRoot, '../shared/samples');
const parsed = parseOptions(process.argv.slice(2), existsSync(samplesBeside) ? samplesBeside : null);
switch (parsed.kind) {
  case 'help':
    console.log(parsed.text);
    break;
  case 'refused':
    console.error(parsed.problem);
    process.exitCode = 1;
    break;
  case 'run':
    await run(parsed.options);
}

async function run(options: DocumentBenchOptions): Promise<void> {
  console.log(`${cpus().length} x ${cpus()[0]?.model ?? 'unknown'}, ${process.platform}, Node ${process.version}`);
  console.log(installed('qpdf', programVersion('qpdf')));
  console.log(installed('pdfcpu', programVersion('pdfcpu', ['version'])));
  const root = await mkdtemp(join(tmpdir(), 'pdfonce-bench-documents-'));
  const product = await Product.start(root);
  try {
    for (const name of options.parts)
      for (const line of await parts[name]({ ...options, product, root })) console.log(line);
  } finally {
    await product.stop();
    await rm(root, { recursive: true, force: true });
  }
}

function installed(program: string, version: string | null): string {
  return version ?? `${program}: not installed, left out`;
}
