import type { PDFDocument } from 'pdf-lib';
import { appendPages } from '../document/append-pages.js';
import { detachPages } from '../document/detach-pages.js';
import { corruptDocument, DocumentFailed, pageOutOfRange } from '../document/document-failure.js';
import { warningsOf } from '../document/document-warnings.js';
import { guard } from '../document/guard.js';
import { newDocument } from '../document/new-document.js';
import { openDocument } from '../document/open-document.js';
import { writeDocument } from '../document/write-document.js';
import type { OperationOutcome, OperationRun, OutputFile } from '../operation.js';
import type { ResolvedRange } from './page-range.js';
import { parsePageRange, resolvePageRange } from './page-range.js';
import { partNames } from './part-name.js';
import type { SplitOptions } from './split.js';

/** Writes the parts one after the other; all ranges are checked before the first is written. */
export async function runSplit(run: OperationRun<SplitOptions>): Promise<OperationOutcome> {
  const [file] = run.inputs;
  if (file === undefined) throw new Error('A split has one input.');
  const source = await openDocument(file, 0, { pagesBefore: 0, maxPages: run.maxPages });
  const parts = partsOf(run.options, source.pageCount);
  run.budget.plan(parts.length);
  detachPages(source.document);
  const names = partNames(file.name, parts, source.pageCount);
  const total = parts.reduce((sum, part) => sum + pagesIn(part), 0);
  const outputs: OutputFile[] = [];
  let done = 0;
  for (const [index, part] of parts.entries()) {
    const document = await extract(source.document, part);
    const name = names[index] ?? `${index}.pdf`;
    const place = { directory: run.outputDirectory, budget: run.budget, index, name, input: 0 };
    outputs.push(await writeDocument(document, { ...place, pages: pagesIn(part) }));
    done += pagesIn(part);
    run.report(done, total);
  }
  const lost = await guard(corruptDocument(0), async () => warningsOf(source.document));
  return { outputs, warnings: [...source.warnings, ...lost] };
}

function partsOf(options: SplitOptions, pageCount: number): ResolvedRange[] {
  if (options.by === 'pages')
    return Array.from({ length: pageCount }, (_, index) => ({ first: index + 1, last: index + 1 }));
  return options.ranges.map((text) => {
    const range = parsePageRange(text);
    const resolved = range === null ? null : resolvePageRange(range, pageCount);
    if (resolved === null) throw new DocumentFailed(pageOutOfRange(text, 0, pageCount));
    return resolved;
  });
}

function extract(source: PDFDocument, { first, last }: ResolvedRange): Promise<PDFDocument> {
  return guard(corruptDocument(0), async () => {
    const part = await newDocument(source);
    await appendPages(
      part,
      source,
      Array.from({ length: last - first + 1 }, (_, offset) => first - 1 + offset),
    );
    return part;
  });
}

function pagesIn({ first, last }: ResolvedRange): number {
  return last - first + 1;
}
