import type { PDFDocument } from 'pdf-lib';
import { PDFName, PDFPageLeaf, PDFPageTree } from 'pdf-lib';
import type { SourcePage } from './list-pages.js';

/** Gives a document a page tree of one node with just these pages; what they inherited becomes their own. */
export function rebuildPageTree({ catalog, context }: PDFDocument, pages: readonly SourcePage[]): void {
  const tree = PDFPageTree.withContext(context);
  const treeRef = context.register(tree);
  for (const { ref, node, inheritable } of pages) {
    const page = PDFPageLeaf.fromMapWithContext(new Map([...inheritable, ...node.entries()]), context);
    page.set(PDFName.of('Type'), PDFName.of('Page'));
    page.setParent(treeRef);
    context.assign(ref, page);
    tree.pushLeafNode(ref);
  }
  catalog.set(PDFName.of('Pages'), treeRef);
}
