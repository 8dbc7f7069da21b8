import { extractPages } from '../assemble/extract-pages.js';
import { corruptDocument } from '../document/failure/document-failure.js';
import { warningsOf } from '../document/failure/document-warnings.js';
import { guard } from '../document/failure/guard.js';
import { openDocument } from '../document/open/open-document.js';
import { stemOf } from '../document/write/safe-name.js';
import { writeDocument } from '../document/write/write-document.js';
import type { OperationOutcome, OperationRun } from '../operation.js';
import { choosePages } from './choose-pages.js';
import type { PagesOptions } from './pages.js';

/** Writes one document, which has the name of its source. */
export async function runPages(run: OperationRun<PagesOptions>): Promise<OperationOutcome> {
  const [file] = run.inputs;
  if (file === undefined) throw new Error('This operation has one input.');
  const source = await openDocument(file, 0, { pagesBefore: 0, maxPages: run.maxPages });
  const pages = choosePages(run.options, source.pages.length, run.maxPages);
  const { document, warnings } = await extractPages(source, pages);
  const place = {
    directory: run.outputDirectory,
    budget: run.budget,
    index: 0,
    name: `${stemOf(file.name)}.pdf`,
    input: 0,
  };
  const output = await writeDocument(document, { ...place, pages: pages.length });
  run.report(pages.length, pages.length);
  const losses = await guard(corruptDocument(0), async () => warningsOf(source.document));
  return { outputs: [output], warnings: [...new Set([...source.warnings, ...warnings, ...losses])] };
}
