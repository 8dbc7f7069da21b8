import { checkWithQpdf, sound } from '../support/documents/check-with-qpdf.js';
import { makeDocument } from '../support/documents/make-document.js';
import { makeLogoPage } from '../support/documents/make-shared-logo.js';
import { mergeAndCheck } from '../support/documents/merge-and-check.js';
import { mergeDocuments } from '../support/documents/merge-documents.js';
import { PdfiumDocument } from '../support/documents/pdfium-document.js';
import { readWithPdfium } from '../support/documents/read-with-pdfium.js';

/** Makes so many documents, each of its number from 1. */
function numbered(count: number, make: (name: string) => Promise<Uint8Array>): Promise<Uint8Array[]> {
  return Promise.all(Array.from({ length: count }, (_, index) => make(String(index + 1))));
}

/** Pages with so many annotations each, every one an object of its own. */
function manyObjects(pages: number, annotationsPerPage: number): Uint8Array {
  const texts: string[] = [];
  const add = (text: string): number => texts.push(text) + 2;
  const kids = Array.from({ length: pages }, () => {
    const notes = Array.from({ length: annotationsPerPage }, (_, at) =>
      add(`<</Type/Annot/Subtype/Link/Rect[${at} 0 ${at + 1} 9]/A<</S/URI/URI(https://example.com/${at})>>>>`),
    );
    const annotations = notes.map((note) => `${note} 0 R`).join(' ');
    return add(`<</Type/Page/Parent 2 0 R/MediaBox[0 0 300 400]/Annots[${annotations}]>>`);
  });
  const tree = `<</Type/Pages/Count ${pages}/Kids[${kids.map((kid) => `${kid} 0 R`).join(' ')}]>>`;
  return fileOf(['<</Type/Catalog/Pages 2 0 R>>', tree, ...texts]);
}

/** A file of objects 1, 2 and so on, the first of them the catalog. */
function fileOf(objects: readonly string[]): Uint8Array {
  let length = 9;
  const offsets: number[] = [];
  const body = objects.map((text, index) => {
    const object = `${index + 1} 0 obj\n${text}\nendobj\n`;
    offsets.push(length);
    length += object.length;
    return object;
  });
  const rows = offsets.map((offset) => `${String(offset).padStart(10, '0')} 00000 n \n`).join('');
  const table = `xref\n0 ${objects.length + 1}\n0000000000 65535 f \n${rows}`;
  const trailer = `trailer\n<</Size ${objects.length + 1}/Root 1 0 R>>\nstartxref\n${length}\n%%EOF\n`;
  return Buffer.from(`%PDF-1.7\n${body.join('')}${table}${trailer}`);
}

describe('the pages of a merge', () => {
  it('are in the order of the inputs, whatever these are called (row 49)', async () => {
    const inputs = await numbered(12, (name) => makeDocument(name, 1));
    const names = inputs.map((_, index) => `${(index * 7) % 12}.pdf`);
    const { bytes } = await mergeAndCheck(inputs.map((input, index) => ({ bytes: input, name: names[index] ?? '' })));
    const { pages } = await readWithPdfium(bytes);
    expect(pages.map(({ text }) => text.trim())).toEqual(inputs.map((_, index) => `${index + 1} page 1`));
  });

  it('share the picture that fifty inputs have, which is stored once (row 35)', async () => {
    const logoBytes = 20_000;
    const inputs = await numbered(50, (name) => makeLogoPage(name, logoBytes));
    const { bytes, described } = await mergeAndCheck(inputs);
    expect(described).toMatchObject({ pages: 50, duplicateStreams: 0 });
    expect(bytes.byteLength).toBeLessThan(3 * logoBytes);
  });

  it('keep two hundred thousand objects (row 47)', async () => {
    const { bytes, warnings } = await mergeDocuments([{ bytes: manyObjects(1_000, 200) }]);
    expect(warnings).toEqual([]);
    expect(await checkWithQpdf(bytes)).toEqual(sound);
    expect(await PdfiumDocument.open(bytes, '', ({ pageCount }) => pageCount)).toBe(1_000);
  }, 120_000);
});
