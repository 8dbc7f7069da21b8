import { PDFDocument, PDFHexString, PDFName, PDFNumber, PDFRef, PDFString } from 'pdf-lib';
import { checkWithQpdf, sound } from '../../../../../test/support/documents/check-with-qpdf.js';
import { serialiseObjects } from './serialise-objects.js';

async function documentWith(pages: number): Promise<PDFDocument> {
  const document = await PDFDocument.create({ updateMetadata: false });
  document.setTitle('Ünïcode 漢');
  for (let page = 0; page < pages; page += 1) document.addPage([100 + page, 200]).drawText(`page ${page}`);
  await document.flush();
  return document;
}

describe('serialiseObjects', () => {
  it.each([1, 450])('makes a file of %i pages that qpdf finds sound and that reads back the same', async (pages) => {
    const document = await documentWith(pages);
    const bytes = serialiseObjects(document.context);
    expect(await checkWithQpdf(bytes)).toEqual(sound);
    const read = await PDFDocument.load(bytes, { updateMetadata: false });
    expect(read.getTitle()).toBe('Ünïcode 漢');
    expect(read.getPages().map((page) => page.getWidth())).toEqual(document.getPages().map((page) => page.getWidth()));
  });

  it('writes objects whose numbers have gaps, or generations', async () => {
    const document = await documentWith(1);
    const { context, catalog } = document;
    const [far, old] = [PDFRef.of(100_000), PDFRef.of(7_000, 3)];
    context.assign(far, PDFString.of('a \\(b\\) \\351'));
    context.assign(old, PDFHexString.of('00ff'));
    catalog.set(PDFName.of('Far/Name'), context.obj([far, old, PDFNumber.of(-1.5e-7)]));
    const bytes = serialiseObjects(context);
    expect(await checkWithQpdf(bytes)).toEqual(sound);
    const read = await PDFDocument.load(bytes);
    expect(String(read.context.lookup(far))).toBe('(a \\(b\\) \\351)');
    expect(String(read.context.lookup(old))).toBe('<00ff>');
    expect(bytes.byteLength).toBeLessThan(2_000);
  });

  it('makes the same bytes of the same objects, however often', async () => {
    const { context } = await documentWith(3);
    expect(serialiseObjects(context)).toEqual(serialiseObjects(context));
  });
});
