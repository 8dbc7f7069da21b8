import type { PDFDocument } from 'pdf-lib';
import { PDFNull } from 'pdf-lib';

/**
 * Makes every reference to a page of an opened document (from a link, a form field, an article) lead to nothing. Without this a
 * part would carry along, unseen, the whole content of the pages that its own pages refer to. The pages stay usable.
 */
export function detachPages(document: PDFDocument): void {
  for (const { ref } of document.getPages()) document.context.assign(ref, PDFNull);
}
