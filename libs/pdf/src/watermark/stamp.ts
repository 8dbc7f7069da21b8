import type { PDFRef } from 'pdf-lib';
import type { Box } from '../content/box.js';

/**
 * Something to be drawn again and again: a form XObject and the box that it fills. `ink` is the box around what it draws, as far as that is
 * known: around the glyphs of a text, and all of an image or a page.
 */
export interface Stamp {
  readonly form: PDFRef;
  readonly box: Box;
  readonly ink: Box;
}
