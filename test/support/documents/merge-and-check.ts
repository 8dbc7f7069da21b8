import { type MergeOptions } from '../../../libs/pdf/src/merge/merge.js';
import { requireSound } from './check-with-qpdf.js';
import { compareRenders } from './compare-renders.js';
import { type DescribedDocument, describeDocument } from './describe-document.js';
import { mergeDocuments, type MergeInput } from './merge-documents.js';
import { renderAllWithPdfium } from './render-with-pdfium.js';

/** What a merge made. */
export interface MergedDocument {
  readonly bytes: Uint8Array;
  readonly described: DescribedDocument;
  readonly warnings: readonly string[];
}

/** The merge of documents. Throws when qpdf has anything bad to say of it. */
export async function mergeAndCheck(
  documents: ReadonlyArray<MergeInput | Uint8Array>,
  options: Partial<MergeOptions> = {},
): Promise<MergedDocument> {
  const inputs = documents.map((document) => (document instanceof Uint8Array ? { bytes: document } : document));
  const { bytes, warnings } = await mergeDocuments(inputs, options);
  await requireSound(bytes);
  return { bytes, described: await describeDocument(bytes), warnings };
}

/** For each page of a document, what share of its pixels differs from the pages of others, one after the other. */
export async function differingShares(bytes: Uint8Array, documents: readonly Uint8Array[]): Promise<number[]> {
  const before = (await Promise.all(documents.map((document) => renderAllWithPdfium(document)))).flat();
  const after = await renderAllWithPdfium(bytes);
  if (after.length !== before.length) throw new Error(`${after.length} pages against ${before.length}`);
  return after.map((page, index) => compareRenders(page, before[index] ?? page).differingShare);
}
