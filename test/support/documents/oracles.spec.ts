import { PDFDocument, rgb } from 'pdf-lib';
import { checkWithModule, checkWithQpdf, hasQpdfProgram, sound } from './check-with-qpdf.js';
import { compareRenders } from './compare-renders.js';
import { inkBox } from './ink-box.js';
import { readWithPdfium } from './read-with-pdfium.js';
import { renderAllWithPdfium, renderWithPdfium } from './render-with-pdfium.js';
import { corruptPdf, encryptedPdf, samplePdf } from '../pdf-samples.js';

/** A page with one black square, whose lower left corner is here. */
async function squareAt(x: number, y: number): Promise<Uint8Array> {
  const document = await PDFDocument.create({ updateMetadata: false });
  document.addPage([200, 100]).drawRectangle({ x, y, width: 10, height: 10, color: rgb(0, 0, 0) });
  return document.save();
}

describe('qpdf', () => {
  it('finds nothing in a document that is in order', async () => {
    expect(await checkWithQpdf(await samplePdf([100, 101]))).toEqual(sound);
  });

  it('says what it finds in a document that is cut off', async () => {
    const whole = await samplePdf([100, 101]);
    const { errors, warnings } = await checkWithQpdf(whole.subarray(0, whole.byteLength * 0.6));
    expect(errors.length + warnings.length).toBeGreaterThan(0);
  });

  it('comes to the same verdict as a program and as a module', async () => {
    const cut = (await samplePdf([100])).subarray(0, 300);
    for (const bytes of [await samplePdf([100]), cut, corruptPdf()]) {
      const [one, other] = [await checkWithQpdf(bytes), await checkWithModule(bytes)];
      expect(one.errors.length > 0).toBe(other.errors.length > 0);
      if (!hasQpdfProgram) expect(one).toEqual(other);
    }
  });

  it('leaves the exit code of this process alone', async () => {
    await checkWithModule(corruptPdf());
    expect(process.exitCode).toBeUndefined();
  });
});

describe('PDFium', () => {
  it('reads size and text of each page', async () => {
    const { pages } = await readWithPdfium(await samplePdf([100, 201]));
    expect(pages).toEqual([
      { width: 100, height: 200, text: 'Page of width 100', label: '' },
      { width: 201, height: 200, text: 'Page of width 201', label: '' },
    ]);
  });

  it('says that it cannot open what is no document', async () => {
    await expect(readWithPdfium(corruptPdf())).rejects.toThrow('no PDF or a corrupt one');
    await expect(readWithPdfium(await encryptedPdf())).rejects.toThrow('PDFium cannot open it');
  });

  it('draws a page at a resolution', async () => {
    const page = await renderWithPdfium(await squareAt(20, 30), 0, { dpi: 144 });
    expect([page.width, page.height, page.rgba.length]).toEqual([400, 200, 400 * 200 * 4]);
    expect(await renderAllWithPdfium(await samplePdf([100, 101]))).toHaveLength(2);
  });
});

describe('renders', () => {
  it('are equal when the documents look the same', async () => {
    const one = await renderWithPdfium(await squareAt(20, 30), 0);
    expect(compareRenders(one, one)).toEqual({ differingShare: 0, psnrDb: Number.POSITIVE_INFINITY });
    expect(inkBox(one, one)).toBeNull();
  });

  it('tell how much differs and where', async () => {
    const empty = await renderWithPdfium(await squareAt(300, 300), 0);
    const drawn = await renderWithPdfium(await squareAt(20, 30), 0);
    expect(inkBox(empty, drawn)).toEqual({ left: 20, top: 60, right: 30, bottom: 70 });
    const { differingShare, psnrDb } = compareRenders(empty, drawn);
    expect(differingShare).toBeCloseTo(100 / 20_000, 5);
    expect(psnrDb).toBeLessThan(40);
  });

  it('of different sizes are not compared', async () => {
    const one = await renderWithPdfium(await samplePdf([100]), 0);
    const other = await renderWithPdfium(await samplePdf([101]), 0);
    expect(() => compareRenders(one, other)).toThrow('100 x 200 pixels against 101 x 200');
  });
});
