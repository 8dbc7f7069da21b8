import { PDFDocument, PDFName } from 'pdf-lib';
import { editDocument } from '../support/documents/edit-document.js';
import { makeBlankPage } from '../support/documents/make-blank-page.js';
import { makeBoxedPage, type PageBoxes } from '../support/documents/make-boxes.js';
import { withWrongOffsets } from '../support/documents/make-damaged.js';
import { makeDocument } from '../support/documents/make-document.js';
import { encrypt } from '../support/documents/make-encrypted.js';
import { expectClose, markDocument, seenAt } from '../support/documents/mark-document.js';
import { readWithPdfium } from '../support/documents/read-with-pdfium.js';

describe('a page of a PDF as a watermark', () => {
  it('is drawn as it is seen: cropped, turned and in its unit', async () => {
    const upright = await withBlueCorner({ mediaBox: [0, 0, 300, 200] }, '0 0 1 rg 0 100 150 100 re f');
    const turned = await withBlueCorner(
      { mediaBox: [0, 0, 612, 792], cropBox: [100, 200, 300, 500], rotate: 90 },
      '0 0 1 rg 100 200 100 150 re f 1 0 0 rg 0 0 90 90 re f',
    );
    const options = { pdf: { input: 1 }, opacity: 1, scale: 0.5 };
    const expected = await seenAt(await makeBlankPage(undefined), options, 0, upright);
    expectClose(await seenAt(await makeBlankPage(undefined), options, 0, turned), expected);
    expectClose(expected, { left: 75, top: 50, right: 150, bottom: 100 });
  });

  it('is what it is in a document that has to be repaired or decrypted, with a warning', async () => {
    const document = await makeDocument('document', 1);
    const inputs = [
      withWrongOffsets(await makeDocument('stamp', 1)),
      await encrypt(await makeDocument('stamp', 1), 'aes-128', { user: '', owner: 'owner' }),
    ];
    const made = await Promise.all(
      inputs.map((input) => editDocument('watermark', { pdf: { input: 1 } }, document, input)),
    );
    expect(made.map(({ warnings }) => warnings)).toEqual([['repaired'], ['decrypted']]);
    for (const { bytes } of made) expect((await readWithPdfium(bytes)).pages[0]?.text).toContain('stamp page 1');
    expect((await editDocument('rotate', { angle: 90 }, inputs[0] ?? document)).warnings).toEqual(['repaired']);
  });

  it('keeps its text', async () => {
    const bytes = await markDocument(
      { pdf: { input: 1, page: 2 } },
      await makeDocument('document', 1),
      await makeDocument('stamp', 3),
    );
    expect((await readWithPdfium(bytes)).pages[0]?.text).toContain('stamp page 2');
  });

  it('fails with page_out_of_range when there is no such page', async () => {
    const marking = editDocument(
      'watermark',
      { pdf: { input: 1, page: 4 } },
      await makeDocument('document', 1),
      await makeDocument('stamp', 3),
    );
    await expect(marking).rejects.toMatchObject({ failure: { code: 'page_out_of_range', input: 1 } });
  });
});

async function withBlueCorner(boxes: PageBoxes, content: string): Promise<Uint8Array> {
  const document = await PDFDocument.load(await makeBoxedPage('stamp', boxes), { updateMetadata: false });
  const { context } = document;
  document.getPage(0).node.set(PDFName.of('Contents'), context.register(context.stream(content)));
  return document.save({ useObjectStreams: false });
}
