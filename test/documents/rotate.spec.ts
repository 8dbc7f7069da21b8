import { checkWithQpdf, sound } from '../support/documents/check-with-qpdf.js';
import { compareRenders } from '../support/documents/compare-renders.js';
import { describeDocument } from '../support/documents/describe-document.js';
import type { Bitmap } from '../support/documents/bitmap.js';
import { editDocument } from '../support/documents/edit-document.js';
import { makeInheritedBoxes } from '../support/documents/make-boxes.js';
import { makeDocument } from '../support/documents/make-document.js';
import { makeRichDocument } from '../support/documents/make-rich-document.js';
import { makeSigned } from '../support/documents/make-signed.js';
import { readWithPdfium } from '../support/documents/read-with-pdfium.js';
import { renderAllWithPdfium } from '../support/documents/render-with-pdfium.js';

/** A picture turned clockwise. */
function turned({ width, height, rgba }: Bitmap): Bitmap {
  const made = new Uint8Array(rgba.length);
  for (let y = 0; y < height; y += 1)
    for (let x = 0; x < width; x += 1)
      made.set(rgba.subarray((y * width + x) * 4, (y * width + x + 1) * 4), (x * height + (height - 1 - y)) * 4);
  return { width: height, height: width, rgba: made };
}

describe('rotate', () => {
  it('turns each page clockwise from how it is seen, with inherited boxes and rotation', async () => {
    const content = await makeInheritedBoxes('inherited');
    const { bytes, progress } = await editDocument('rotate', { angle: 90 }, content);
    expect(await checkWithQpdf(bytes)).toEqual(sound);
    const [before, after] = [await renderAllWithPdfium(content), await renderAllWithPdfium(bytes)];
    expect(after).toHaveLength(before.length);
    for (const [page, picture] of before.entries()) {
      const expected = turned(picture);
      const seen = after[page] ?? picture;
      expect([seen.width, seen.height]).toEqual([expected.width, expected.height]);
      expect(compareRenders(expected, seen, 100).differingShare).toBeLessThan(0.02);
    }
    expect(progress.at(-1)).toEqual([3, 3]);
  });

  it('comes back to the same bytes after four quarter turns (row 25)', async () => {
    let { bytes } = await editDocument('rotate', { angle: 0 }, await makeDocument('turning', 3));
    const start = bytes;
    for (let turn = 0; turn < 4; turn += 1) ({ bytes } = await editDocument('rotate', { angle: 90 }, bytes));
    expect(bytes.equals(start)).toBe(true);
  });

  it('leaves alone the pages that are not named (row 48)', async () => {
    const { bytes } = await editDocument('rotate', { angle: 90, pages: '2,-1' }, await makeDocument('pages', 4));
    const { pages } = await readWithPdfium(bytes);
    expect(pages.map(({ width, height }) => (width > height ? 'turned' : 'upright'))).toEqual([
      'upright',
      'turned',
      'upright',
      'turned',
    ]);
  });

  it('keeps all that the document has', async () => {
    const content = await makeRichDocument('rich');
    const { bytes, warnings } = await editDocument('rotate', { angle: 180 }, content);
    expect(await checkWithQpdf(bytes)).toEqual(sound);
    expect(await describeDocument(bytes)).toEqual({ ...(await describeDocument(content)), bytes: bytes.byteLength });
    expect(warnings).toEqual([]);
  });

  it('warns that a signature does not hold any more (row 43)', async () => {
    const { bytes, warnings } = await editDocument('rotate', { angle: 90 }, await makeSigned('signed'));
    expect(warnings).toEqual(['signature_invalidated']);
    expect((await readWithPdfium(bytes)).signatures).toBe(1);
  });
});
