import type { PDFDict, PDFRef } from 'pdf-lib';
import type { Source } from '../document/open/source.js';
import type { SourcePage } from '../document/page-tree/list-pages.js';
import type { ObjectCopier } from './object-copier.js';

/** A page in its new place. */
export interface PlacedPage {
  /** 0-based, in its source. */
  readonly index: number;
  readonly from: SourcePage;
  /** 0-based, in the new document. */
  readonly number: number;
  readonly ref: PDFRef;
  /** Its new dictionary: empty until the page is copied. */
  readonly node: PDFDict;
}

/** Pages of one source, none of them twice, on their way into a new document. */
export interface Excerpt {
  readonly source: Source;
  /** In the order of the new document. */
  readonly pages: readonly PlacedPage[];
  /** Whether it has every page of its source. */
  readonly isWhole: boolean;
  /** 0 for the first occurrence of each page; pages that are taken a second time make an excerpt of their own, with 1, and so on. */
  readonly repeat: number;
  /** Copies objects of the source; its pages lead to their new places, or to nothing. */
  readonly copier: ObjectCopier;
}
