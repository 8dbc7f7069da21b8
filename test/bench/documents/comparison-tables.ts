import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { checkWithQpdf } from '../../support/documents/check-with-qpdf.js';
import { makeRichDocument } from '../../support/documents/make-rich-document.js';
import { keptColumns, keptThings, seeDocument, type SeenDocument } from './kept-things.js';
import { type MergingTool, mergingTools } from './merging-tools.js';
import type { Product } from './run-product.js';

const cases = [
  { title: 'Two documents, A and B', names: ['A', 'B'] },
  { title: 'Three documents, A, B and C', names: ['A', 'B', 'C'] },
];

/** The tables of docs/comparison.md, as Markdown: what each installed tool keeps in a merge of two and of three documents whose names clash. */
export async function comparisonTables(product: Product, root: string): Promise<string[]> {
  const tools = mergingTools(product, root);
  const installed = tools.filter(({ version }) => version !== null);
  const lines: string[] = [];
  for (const { title, names } of cases) {
    const contents = await Promise.all(names.map((name) => makeRichDocument(name)));
    const paths = names.map((name) => join(root, `${name}.pdf`));
    await Promise.all(paths.map((path, index) => writeFile(path, contents[index] ?? '')));
    const inputs = await Promise.all(contents.map(seeDocument));
    const rows: string[][] = [];
    for (const tool of installed) rows.push([tool.name, ...(await cellsOf(tool, paths, inputs))]);
    lines.push('', title, '', ...table(['Tool', ...keptColumns, '`qpdf --check`'], rows));
  }
  const versions = [...new Set(installed.map(({ version }) => version))].join('; ');
  const missing = tools.filter(({ version }) => version === null).map(({ name }) => name);
  return [...lines, '', `Versions: ${versions}.`, `Not installed: ${missing.join(', ') || 'none'}.`];
}

async function cellsOf(
  tool: MergingTool,
  paths: readonly string[],
  inputs: readonly SeenDocument[],
): Promise<string[]> {
  const bytes = await tool.merge(paths);
  const { errors, warnings } = await checkWithQpdf(bytes);
  const kept = keptThings(inputs, await seeDocument(bytes));
  const complaints = errors.length + warnings.length;
  return [...keptColumns.map((column) => kept[column]), complaints === 0 ? 'passes' : `complains (${complaints})`];
}

function table(head: readonly string[], rows: ReadonlyArray<readonly string[]>): string[] {
  const widths = head.map((title, column) => Math.max(title.length, ...rows.map((row) => row[column]?.length ?? 0)));
  const line = (cells: readonly string[]): string =>
    `| ${cells.map((cell, column) => cell.padEnd(widths[column] ?? 0)).join(' | ')} |`;
  return [line(head), line(widths.map((width) => '-'.repeat(width))), ...rows.map(line)];
}
