import type { PDFDocument } from 'pdf-lib';
import { appendPages } from '../document/append-pages.js';
import { corruptDocument } from '../document/document-failure.js';
import { warningsOf } from '../document/document-warnings.js';
import { guard } from '../document/guard.js';
import { newDocument } from '../document/new-document.js';
import { openDocument } from '../document/open-document.js';
import { writeDocument } from '../document/write-document.js';
import type { OperationOutcome, OperationRun } from '../operation.js';
import type { MergeOptions } from './merge.js';

interface Merged {
  readonly document: PDFDocument;
  readonly pages: number;
  readonly warnings: ReadonlySet<string>;
}

/** Opens one input after the other, so that no more than one of them is in memory beside the result. */
export async function runMerge(run: OperationRun<MergeOptions>): Promise<OperationOutcome> {
  let merged: Merged | null = null;
  for (const input of run.inputs.keys()) {
    merged = await append(merged, run, input);
    run.report(input + 1, run.inputs.length);
  }
  if (merged === null) throw new Error('A merge has at least one input.');
  const { document, pages, warnings } = merged;
  const place = { directory: run.outputDirectory, index: 0, name: 'merged.pdf', pages };
  const output = await writeDocument(document, { ...place, input: run.inputs.length === 1 ? 0 : null });
  return { outputs: [output], warnings: [...warnings] };
}

async function append(merged: Merged | null, run: OperationRun<MergeOptions>, input: number): Promise<Merged> {
  const file = run.inputs[input];
  if (file === undefined) throw new Error(`There is no input ${input}.`);
  const pagesBefore = merged?.pages ?? 0;
  const source = await openDocument(file, input, { pagesBefore, maxPages: run.maxPages });
  return guard(corruptDocument(input), async () => {
    const document = merged?.document ?? (await newDocument(source.document));
    await appendPages(document, source.document, source.document.getPageIndices());
    return {
      document,
      pages: pagesBefore + source.pageCount,
      warnings: new Set([...(merged?.warnings ?? []), ...warningsOf(source.document)]),
    };
  });
}
