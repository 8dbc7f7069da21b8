import type { Assembly } from '../assemble/assembly.js';
import { beginAssembly } from '../assemble/begin-assembly.js';
import { corruptDocument, DocumentFailed, tooManyPages } from '../document/failure/document-failure.js';
import { type DocumentWarning, warningsOf } from '../document/failure/document-warnings.js';
import { guard } from '../document/failure/guard.js';
import { openDocument } from '../document/open/open-document.js';
import { writeDocument } from '../document/write/write-document.js';
import type { InputFile, OperationOutcome, OperationRun } from '../operation.js';
import { selectPages } from '../selection/select-pages.js';
import type { MergeOptions } from './merge.js';

/** Opens one input after the other, so that no more than one of them is in memory beside the result. */
export async function runMerge(run: OperationRun<MergeOptions>): Promise<OperationOutcome> {
  const assembly = await beginAssembly(run.options);
  const warnings = new Set<DocumentWarning>();
  for (const [input, file] of run.inputs.entries()) {
    for (const warning of await append(assembly, { file, input, maxPages: run.maxPages })) warnings.add(warning);
    run.report(input + 1, run.inputs.length);
  }
  const blamed = run.inputs.length === 1 ? 0 : null;
  for (const warning of await guard(corruptDocument(blamed), async () => assembly.finish())) warnings.add(warning);
  const { outputDirectory: directory, budget } = run;
  const place = { directory, budget, index: 0, name: 'merged.pdf', input: blamed };
  const output = await writeDocument(assembly.document, { ...place, pages: assembly.pageCount });
  return { outputs: [output], warnings: [...warnings] };
}

async function append(
  assembly: Assembly,
  { file, input, maxPages }: { readonly file: InputFile; readonly input: number; readonly maxPages: number },
): Promise<DocumentWarning[]> {
  const source = await openDocument(file, input, { pagesBefore: assembly.pageCount, maxPages });
  const pages = selectPages(file.pages, input, source.pages.length);
  const pageCount = assembly.pageCount + pages.length;
  if (pageCount > maxPages) throw new DocumentFailed(tooManyPages(input, pageCount, maxPages));
  return guard(corruptDocument(input), async () => {
    assembly.add(source, pages);
    return [...source.warnings, ...warningsOf(source.document)];
  });
}
