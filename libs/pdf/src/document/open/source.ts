import type { PDFDocument } from 'pdf-lib';
import type { DocumentWarning } from '../failure/document-warnings.js';
import type { SourcePage } from '../page-tree/list-pages.js';

/** A document that was opened to take pages from, or to work on. */
export interface Source {
  readonly document: PDFDocument;
  readonly pages: readonly SourcePage[];
  /** What had to be done to open it. */
  readonly warnings: readonly DocumentWarning[];
  /** The 0-based number of the input that it was opened from. */
  readonly input: number;
  /** What its owner calls it. */
  readonly name: string;
}
