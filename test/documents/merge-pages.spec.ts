import { makeDocument } from '../support/documents/make-document.js';
import { makeLogoPage } from '../support/documents/make-shared-logo.js';
import { mergeAndCheck } from '../support/documents/merge-and-check.js';
import { readWithPdfium } from '../support/documents/read-with-pdfium.js';

/** Makes so many documents, each of its number from 1. */
function numbered(count: number, make: (name: string) => Promise<Uint8Array>): Promise<Uint8Array[]> {
  return Promise.all(Array.from({ length: count }, (_, index) => make(String(index + 1))));
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
});
