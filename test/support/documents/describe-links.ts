import type { PDFDict, PDFDocument } from 'pdf-lib';
import type { DestinationFinder } from './describe-destinations.js';
import { arrayAt, dictAt, dictsIn, nameAt, textAt } from './objects.js';

/** A link of a page: the 0-based page that it leads to, its URI, or neither where it leads nowhere. */
export interface DescribedLink {
  readonly page: number | null;
  readonly uri: string | null;
}

/** The links of each page. */
export function describeLinks(document: PDFDocument, { targetOf }: DestinationFinder): DescribedLink[][] {
  return document.getPages().map(({ node }) =>
    dictsIn(arrayAt(node, 'Annots'), document.context)
      .filter(({ dict }) => nameAt(dict, 'Subtype') === 'Link')
      .map(({ dict }) => ({ page: targetOf(dict), uri: uriOf(dict) })),
  );
}

function uriOf(link: PDFDict): string | null {
  return textAt(dictAt(link, 'A'), 'URI') ?? null;
}
