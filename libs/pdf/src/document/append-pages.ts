import type { PDFDocument, PDFRef } from 'pdf-lib';
import { PDFName } from 'pdf-lib';

/**
 * Copies pages (0-based) of a source to the end of a document that `newDocument` made, with one copy of all that they share.
 * They go straight into the root of the page tree: the library's own way walks the whole tree again for each page.
 */
export async function appendPages(target: PDFDocument, source: PDFDocument, indices: number[]): Promise<void> {
  const tree = target.catalog.Pages();
  const treeRef = target.catalog.get(PDFName.of('Pages')) as PDFRef;
  for (const page of await target.copyPages(source, indices)) {
    page.node.setParent(treeRef);
    tree.pushLeafNode(page.ref);
  }
}
