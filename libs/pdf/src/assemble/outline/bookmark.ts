import type { PDFDict, PDFRef } from 'pdf-lib';

/** An item of the new outline, on its way into it. */
export interface Bookmark {
  readonly ref: PDFRef;
  /** Has all but its place in the outline and its count. */
  readonly dict: PDFDict;
  /** Whether a reader shows what is below it from the start. */
  readonly isOpen: boolean;
  readonly children: readonly Bookmark[];
}
