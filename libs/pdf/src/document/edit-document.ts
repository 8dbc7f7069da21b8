import type { PDFDocument } from 'pdf-lib';
import type { OperationOutcome, OperationRun } from '../operation.js';
import { parsePageSelection, resolvePageSelection } from '../selection/page-selection.js';
import { corruptDocument, DocumentFailed, noPages, pageOutOfRange, tooManyPages } from './document-failure.js';
import { editWarningsOf } from './document-warnings.js';
import { guard } from './guard.js';
import type { SourcePage } from './list-pages.js';
import { listPages } from './list-pages.js';
import { openDocument } from './open-document.js';
import { writeDocument } from './write-document.js';

/** The document of an operation that works on it in place: all its objects stay. */
export interface EditedDocument {
  readonly document: PDFDocument;
  readonly pageCount: number;
  /** The pages that the options name, each once, in the order of the document; all when they name none. */
  readonly selected: readonly SourcePage[];
  readonly warnings: readonly string[];
}

/** Opens input 0. Throws `DocumentFailed` as `openDocument` does, and with `page_out_of_range`. */
export async function openForEdit(run: OperationRun<{ readonly pages?: string | undefined }>): Promise<EditedDocument> {
  const [file] = run.inputs;
  if (file === undefined) throw new Error('There is no document to work on.');
  const { document } = await openDocument(file, 0, { pagesBefore: 0, maxPages: run.maxPages });
  return guard(corruptDocument(0), async () => {
    const { pages } = listPages(document, run.maxPages);
    if (pages.length === 0) throw new DocumentFailed(noPages(0));
    if (pages.length > run.maxPages) throw new DocumentFailed(tooManyPages(0, pages.length, run.maxPages));
    const selected = select(pages, run.options.pages);
    return { document, pageCount: pages.length, selected, warnings: editWarningsOf(document) };
  });
}

/** Writes the document as the one output. */
export async function finishEdit(
  { outputDirectory }: { readonly outputDirectory: string },
  { document, pageCount, warnings }: EditedDocument,
  name: string,
): Promise<OperationOutcome> {
  const place = { directory: outputDirectory, index: 0, name, pages: pageCount, input: 0 };
  return { outputs: [await writeDocument(document, place)], warnings };
}

function select(pages: readonly SourcePage[], text: string | undefined): readonly SourcePage[] {
  if (text === undefined) return pages;
  const selection = parsePageSelection(text);
  const named = selection === null ? null : resolvePageSelection(selection, pages.length);
  if (named === null) throw new DocumentFailed(pageOutOfRange(text, pages.length));
  const wanted = new Set(named);
  return pages.filter((_, index) => wanted.has(index));
}
