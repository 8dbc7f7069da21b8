import { PDFDocument } from 'pdf-lib';
import { editDocument } from '../support/documents/edit-document.js';
import { inkBox } from '../support/documents/ink-box.js';
import { makeBlankPage } from '../support/documents/make-blank-page.js';
import { red } from '../support/documents/mark-document.js';
import { renderWithPdfium } from '../support/documents/render-with-pdfium.js';

/** Seen as 300 by 200 points, and cropped so where it is larger. */
const pages = {
  upright: () => makeBlankPage(undefined),
  turned: () => makeBlankPage(90),
  cropped: () => makeBlankPage(undefined, { mediaBox: [0, 0, 900, 900], cropBox: [300, 300, 600, 500] }),
  'in units of two points': () => makeBlankPage(undefined, { mediaBox: [0, 0, 150, 100], userUnit: 2 }),
};

/** What is warned of a watermark, and whether any of it is seen. */
async function mark(content: Uint8Array, options: object, ...others: readonly Uint8Array[]) {
  const { bytes, warnings } = await editDocument('watermark', { opacity: 1, ...options }, content, ...others);
  const box = inkBox(await renderWithPdfium(content, 0), await renderWithPdfium(bytes, 0));
  return { isSeen: box !== null, warnings };
}

const outside = { isSeen: false, warnings: ['watermark_outside'] };
const inside = { isSeen: true, warnings: [] };

async function pagesOf(...sizes: ReadonlyArray<readonly [number, number]>): Promise<Uint8Array> {
  const document = await PDFDocument.create();
  for (const [width, height] of sizes) document.addPage([width, height]);
  return document.save();
}

describe('a watermark wholly outside of the page', () => {
  it.each(Object.entries(pages))('is warned of, and one of which a part is seen is not: %s', async (_, makePage) => {
    const content = await makePage();
    const text = { color: red.color, text: 'MMMM', font_size: 20 };
    for (const offset of [{ x: 200 }, { x: -200 }, { y: 120 }, { y: -120 }])
      expect(await mark(content, { ...text, offset })).toEqual(outside);
    for (const offset of [{ x: 160 }, { x: -160 }, { y: 100 }, { y: -100 }])
      expect(await mark(content, { ...text, offset })).toEqual(inside);
  });

  it('is measured by its glyphs, not by the lines in which they stand', async () => {
    const dot = { color: red.color, text: '.', font_size: 100, position: 'bottom', margin: 0 };
    expect(await mark(await pages.upright(), { ...dot, offset: { y: -25 } })).toEqual(inside);
    expect(await mark(await pages.upright(), { ...dot, offset: { y: -60 } })).toEqual(outside);
  });

  it('is measured as it is turned, not by the upright rectangle around it', async () => {
    const slanted = { color: red.color, text: 'MMMMMMMMMM', font_size: 20, angle: 45, margin: 0 };
    const topLeft = { ...slanted, position: 'top-left' };
    expect(await mark(await pages.upright(), { ...topLeft, offset: { x: -95, y: 95 } })).toEqual(outside);
    expect(await mark(await pages.upright(), { ...topLeft, offset: { x: -75, y: 75 } })).toEqual(inside);
  });

  it('may be a page or an image', async () => {
    const black = await PDFDocument.create();
    black.addPage([50, 50]).drawRectangle({ width: 50, height: 50 });
    const options = { pdf: { input: 1 }, scale: 0.5, margin: 0, position: 'right' };
    const stamp = await black.save();
    expect(await mark(await pages.turned(), { ...options, offset: { x: 100 } }, stamp)).toEqual(outside);
    expect(await mark(await pages.turned(), { ...options, offset: { x: 98 } }, stamp)).toEqual(inside);
  });

  it('is warned of when it is so on one page of several, and not for pages that are not named', async () => {
    const sizes = await pagesOf([600, 600], [200, 200]);
    const options = { color: red.color, text: 'MM', font_size: 20, offset: { x: 200 } };
    expect(await mark(sizes, options)).toEqual({ isSeen: true, warnings: ['watermark_outside'] });
    expect(await mark(sizes, { ...options, pages: '1' })).toEqual(inside);
    expect((await mark(sizes, { ...options, pages: '2' })).warnings).toEqual(['watermark_outside']);
  });

  it('is not one of tiles of which another lies on the page', async () => {
    const options = { color: red.color, text: 'MMMM', font_size: 20, offset: { x: 5_000 } };
    expect(await mark(await pages.upright(), { ...options, tile: {} })).toEqual(inside);
    expect(await mark(await pages.upright(), { ...options, tile: { gap_x: 20_000 } })).toEqual(outside);
  });
});
