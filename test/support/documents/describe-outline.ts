import type { PDFDict, PDFDocument } from 'pdf-lib';
import type { DestinationFinder } from './describe-destinations.js';
import { dictAt, textAt } from './objects.js';

/** One entry of the outline. */
export interface DescribedBookmark {
  readonly title: string;
  /** 0-based; `null` if it leads to no page of this document. */
  readonly page: number | null;
  readonly children: readonly DescribedBookmark[];
}

/** The outline of a document as a tree. An outline with a loop is an error. */
export function describeOutline(document: PDFDocument, { targetOf }: DestinationFinder): DescribedBookmark[] {
  const seen = new Set<PDFDict>();
  const childrenOf = (parent: PDFDict | undefined): DescribedBookmark[] => {
    const children: DescribedBookmark[] = [];
    for (let item = dictAt(parent, 'First'); item !== undefined; item = dictAt(item, 'Next')) {
      if (seen.has(item)) throw new Error('The outline has a loop.');
      seen.add(item);
      children.push({ title: textAt(item, 'Title') ?? '', page: targetOf(item), children: childrenOf(item) });
    }
    return children;
  };
  return childrenOf(dictAt(document.catalog, 'Outlines'));
}
