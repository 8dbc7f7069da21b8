import { requireSound } from './check-with-qpdf.js';
import { editDocument } from './edit-document.js';
import { type InkBox, inkBox } from './ink-box.js';
import { renderWithPdfium } from './render-with-pdfium.js';

/** Options of a watermark that is seen best. */
export const red = { color: '#ff0000', opacity: 1 };

/** A document with a watermark. Throws when qpdf has anything bad to say of it. */
export async function markDocument(options: object, ...contents: Uint8Array[]): Promise<Buffer> {
  const { bytes } = await editDocument('watermark', options, ...contents);
  await requireSound(bytes);
  return bytes;
}

/** Where a watermark is seen on a page, as PDFium draws it before and after; in pixels, one for each point. */
export async function seenAt(content: Uint8Array, options: object, page = 0, ...others: Uint8Array[]): Promise<InkBox> {
  const bytes = await markDocument(options, content, ...others);
  const box = inkBox(await renderWithPdfium(content, page), await renderWithPdfium(bytes, page));
  if (box === null) throw new Error('There is no watermark to be seen.');
  return box;
}

/** Throws where a side of a box lies further from where it is expected than the tolerance, in pixels. */
export function expectClose(box: InkBox, expected: InkBox, tolerance = 1): void {
  for (const side of ['left', 'top', 'right', 'bottom'] as const)
    if (!(Math.abs(box[side] - expected[side]) <= tolerance))
      throw new Error(`The ${side} of ${JSON.stringify(box)} is not that of ${JSON.stringify(expected)}.`);
}
