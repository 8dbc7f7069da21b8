import type { PDFRef } from 'pdf-lib';
import type { Box } from '../content/box.js';

/** Something to be drawn again and again: a form XObject and the box that it fills. */
export interface Stamp {
  readonly form: PDFRef;
  readonly box: Box;
}
