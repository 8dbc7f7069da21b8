import { inflateSync } from 'node:zlib';
import { PDFDocument, PDFName, PDFRawStream, PDFRef } from 'pdf-lib';
import { describeDocument } from '../support/documents/describe-document.js';
import { editDocument } from '../support/documents/edit-document.js';
import { inkBox } from '../support/documents/ink-box.js';
import { makeInheritedBoxes } from '../support/documents/make-boxes.js';
import { makeDocument } from '../support/documents/make-document.js';
import { makePicture } from '../support/documents/make-picture.js';
import { makeRichDocument } from '../support/documents/make-rich-document.js';
import { makeSharedBook } from '../support/documents/make-shared-book.js';
import { makeSigned } from '../support/documents/make-signed.js';
import { makeStructure } from '../support/documents/make-structure.js';
import { markDocument, red } from '../support/documents/mark-document.js';
import { readWithPdfium } from '../support/documents/read-with-pdfium.js';
import { renderWithPdfium } from '../support/documents/render-with-pdfium.js';

describe('what the document has', () => {
  it('stays, structure and all (row 11)', async () => {
    for (const content of [await makeStructure('tagged'), await makeRichDocument('rich')]) {
      const { bytes, warnings } = await editDocument('watermark', { text: 'Draft' }, content);
      const described = { ...(await describeDocument(content)), bytes: bytes.byteLength };
      expect(await describeDocument(bytes)).toEqual(described);
      expect(warnings).toEqual([]);
      expect((await readWithPdfium(bytes)).isTagged).toBe((await readWithPdfium(content)).isTagged);
    }
  });

  it('stays out of the structure itself: a watermark is an artifact', async () => {
    const document = await PDFDocument.load(await markDocument({ text: 'Draft' }, await makeStructure('tagged')));
    const contents = document.context
      .enumerateIndirectObjects()
      .flatMap(([, object]) => (object instanceof PDFRawStream ? [inflated(object)] : []));
    expect(contents.join()).toMatch(/\/Artifact <<[^>]*\/Watermark>> BDC \/Watermark Do EMC/);
  });

  it('has a warning when it was signed, and keeps its signature to be seen (row 43)', async () => {
    const { bytes, warnings } = await editDocument('watermark', { text: 'Draft' }, await makeSigned('signed'));
    expect(warnings).toEqual(['signature_invalidated']);
    expect((await readWithPdfium(bytes)).signatures).toBe(1);
  });

  it('is not changed for pages that share their resources and are not named', async () => {
    const content = await makeInheritedBoxes('shared');
    const bytes = await markDocument({ ...red, text: 'Draft', pages: '2' }, content);
    for (const page of [0, 2])
      expect(inkBox(await renderWithPdfium(content, page), await renderWithPdfium(bytes, page))).toBeNull();
    const document = await PDFDocument.load(bytes);
    expect(document.getPage(1).node.get(PDFName.of('Resources'))).toBeInstanceOf(PDFRef);
    expect(document.getPage(0).node.get(PDFName.of('Resources'))).toBeUndefined();
  });

  it('is marked again and again, each time anew (row 25)', async () => {
    const once = await markDocument({ ...red, text: 'One', position: 'top' }, await makeDocument('chain', 2));
    const twice = await markDocument({ ...red, text: 'Two', position: 'center' }, once);
    const thrice = await markDocument({ ...red, text: 'Three', position: 'bottom' }, twice);
    const [page] = (await readWithPdfium(thrice)).pages;
    for (const text of ['chain page 1', 'One', 'Two', 'Three']) expect(page?.text).toContain(text);
    expect(thrice.length - twice.length).toBeLessThan((twice.length - once.length) * 1.3);
  });
});

describe('the size of a watermarked document (row 32)', () => {
  it.each([
    ['a text', { text: 'Draft of the annual report' }, []],
    ['tiles', { text: 'Draft', scale: 0.1, tile: { gap_x: 10, gap_y: 10 } }, []],
    ['a page', { pdf: { input: 1 } }, ['page']],
    ['an image', { image: { input: 1 } }, ['image']],
  ])('grows by less than 200 kB for 500 pages: %s', async (_, options, others) => {
    const content = await makeDocument('long', 500);
    const plain = (await editDocument('rotate', { angle: 0 }, content)).bytes;
    const inputs = await Promise.all(
      others.map((kind) => (kind === 'page' ? makeDocument('stamp', 1) : makePicture())),
    );
    expect((await markDocument(options, content, ...inputs)).length - plain.length).toBeLessThan(200_000);
  });

  it('holds the font once, with the glyphs that are used', async () => {
    const document = await PDFDocument.load(await markDocument({ text: 'Draft' }, await makeDocument('fonts', 20)));
    const programs = document.context
      .enumerateIndirectObjects()
      .filter(([, object]) => object instanceof PDFRawStream && object.dict.has(PDFName.of('Length1')));
    expect(programs).toHaveLength(1);
    expect((programs[0]?.[1] as PDFRawStream).contents.length).toBeLessThan(3_000);
  });

  it('holds a drawn page once, with what its content needs and no more of its document (row 37)', async () => {
    const book = await makeSharedBook({ pages: 40, imageBytes: 50_000 });
    const content = await makeDocument('long', 100);
    const grown = (await markDocument({ pdf: { input: 1, page: 3 } }, content, book)).length - content.length;
    expect(grown).toBeLessThan(book.length + 20_000);
  });
});

function inflated({ dict, contents }: PDFRawStream): string {
  return dict.get(PDFName.of('Filter')) === PDFName.of('FlateDecode') ? inflateSync(contents).toString('latin1') : '';
}
