import { PDFDocument, PDFName } from 'pdf-lib';
import { makeBoxedPage, type PageBoxes } from './make-boxes.js';

/** A page without content, which is seen as 300 by 200 points whatever its rotation. */
export async function makeBlankPage(rotate: number | undefined, boxes: Partial<PageBoxes> = {}): Promise<Uint8Array> {
  const isSideways = rotate !== undefined && rotate % 180 !== 0;
  const mediaBox = isSideways ? ([0, 0, 200, 300] as const) : ([0, 0, 300, 200] as const);
  const bytes = await makeBoxedPage('blank', {
    mediaBox,
    ...boxes,
    ...(rotate === undefined ? {} : { rotate: rotate as 90 }),
  });
  const document = await PDFDocument.load(bytes, { updateMetadata: false });
  document.getPage(0).node.delete(PDFName.of('Contents'));
  return document.save({ useObjectStreams: false });
}
