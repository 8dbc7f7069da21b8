import type { PDFDocument } from 'pdf-lib';
import type { OperationOutcome, OperationRun } from '../operation.js';
import { selectPages } from '../selection/select-pages.js';
import { corruptDocument } from './failure/document-failure.js';
import { type DocumentWarning, editWarningsOf } from './failure/document-warnings.js';
import { guard } from './failure/guard.js';
import { sweep } from './objects/sweep.js';
import { openDocument } from './open/open-document.js';
import type { SourcePage } from './page-tree/list-pages.js';
import { writeDocument } from './write/write-document.js';

/** The document of an operation that works on it in place: all its objects stay. */
export interface EditedDocument {
  readonly document: PDFDocument;
  readonly pageCount: number;
  /** The pages that the options name, each once, in the order of the document; all when they name none. */
  readonly selected: readonly SourcePage[];
  readonly warnings: readonly DocumentWarning[];
}

/** Opens input 0. Throws `DocumentFailed` as `openDocument` does, and with `page_out_of_range`. */
export async function openForEdit(run: OperationRun<{ readonly pages?: string | undefined }>): Promise<EditedDocument> {
  const [file] = run.inputs;
  if (file === undefined) throw new Error('There is no document to work on.');
  const { document, pages, warnings } = await openDocument(file, 0, { pagesBefore: 0, maxPages: run.maxPages });
  return guard(corruptDocument(0), async () => {
    const named = new Set(selectPages(run.options.pages ?? null, 0, pages.length));
    const selected = pages.filter((_, index) => named.has(index));
    return { document, pageCount: pages.length, selected, warnings: [...warnings, ...editWarningsOf(document)] };
  });
}

/**
 * Writes the document as the one output, without what nothing leads to. `moreWarnings` are those of what was put into it.
 */
export async function finishEdit(
  { outputDirectory: directory, budget }: Pick<OperationRun<unknown>, 'outputDirectory' | 'budget'>,
  { document, pageCount, warnings }: EditedDocument,
  name: string,
  moreWarnings: readonly DocumentWarning[] = [],
): Promise<OperationOutcome> {
  sweep(document);
  const place = { directory, budget, index: 0, name, pages: pageCount, input: 0 };
  return { outputs: [await writeDocument(document, place)], warnings: [...new Set([...warnings, ...moreWarnings])] };
}
