import { PDFDocument } from 'pdf-lib';
import { checkWithQpdf, sound } from '../support/documents/check-with-qpdf.js';
import { type DescribedDocument, describeDocument } from '../support/documents/describe-document.js';
import type { DescribedBookmark } from '../support/documents/describe-outline.js';
import { addDestinations, makeNamedDestinations } from '../support/documents/make-destinations.js';
import { makeDocument } from '../support/documents/make-document.js';
import { makeLabelledPages } from '../support/documents/make-labels.js';
import { addLinks, makeLinkedPages } from '../support/documents/make-links.js';
import { addOutline, makeLoopedOutline, makeNestedOutline } from '../support/documents/make-outline.js';
import { type MergeInput, mergeDocuments } from '../support/documents/merge-documents.js';
import { findNamedDestination, readWithPdfium } from '../support/documents/read-with-pdfium.js';

/** The merged document, which qpdf finds in order. */
async function merged(...inputs: MergeInput[]): Promise<Uint8Array> {
  const { bytes } = await mergeDocuments(inputs);
  expect(await checkWithQpdf(bytes)).toEqual(sound);
  return bytes;
}

/** The pages that the links of each page lead to. */
function pagesLinked({ links }: DescribedDocument): Array<Array<number | null>> {
  return links.map((onPage) => onPage.map(({ page }) => page));
}

type Bookmark = Pick<DescribedBookmark, 'title' | 'page'> & { readonly children: readonly Bookmark[] };

/** The same outline, with targets so many pages later. */
function shifted(bookmarks: readonly Bookmark[], by: number): Bookmark[] {
  return bookmarks.map(({ title, page, children }) => ({
    title,
    page: page === null ? null : page + by,
    children: shifted(children, by),
  }));
}

describe('a merge', () => {
  it('keeps the outlines of both inputs, the targets of the second shifted by the pages of the first (row 4)', async () => {
    const [one, other] = [await makeNestedOutline('A'), await makeNestedOutline('B')];
    const bytes = await merged({ bytes: one, name: 'A.pdf' }, { bytes: other, name: 'B.pdf' });
    const [outlineOfOne, outlineOfOther] = [await describeDocument(one), await describeDocument(other)].map(
      ({ outline }) => outline,
    );
    const expected = [
      { title: 'A', page: 0, children: outlineOfOne },
      { title: 'B', page: 9, children: shifted(outlineOfOther ?? [], 9) },
    ];
    expect((await describeDocument(bytes)).outline).toEqual(expected);
    expect((await readWithPdfium(bytes)).bookmarks).toEqual(expected);
  });

  it('ends with an outline that has a loop, cuts it there and says so (row 5)', async () => {
    const { bytes, warnings } = await mergeDocuments([{ bytes: await makeLoopedOutline() }]);
    expect(await checkWithQpdf(bytes)).toEqual(sound);
    expect(warnings).toEqual(['outline_cut']);
    expect((await readWithPdfium(bytes)).bookmarks.map(({ title }) => title)).toEqual(['one', 'two']);
  });

  it('resolves named destinations of the name tree and of the old dictionary (row 6)', async () => {
    const [one, other] = [await makeNamedDestinations('A'), await makeDocument('B', 1)];
    const bytes = await merged({ bytes: other }, { bytes: one });
    const description = await describeDocument(bytes);
    expect(description.destinations).toEqual({ alpha: 2, old: 4, target: 3 });
    expect(pagesLinked(description)[1]).toEqual([3, 2, 4]);
    for (const [name, page] of Object.entries(description.destinations))
      expect(await findNamedDestination(bytes, name)).toBe(page);
  });

  it('renames what has the same name, and each link stays in its own document (row 7)', async () => {
    const outline = addOutline([{ title: 'to x', to: { named: 'x' } }]);
    const links = addLinks([
      { from: 0, to: { named: 'x' } },
      { from: 0, to: { action: 'x' } },
    ]);
    const inputs = await Promise.all(
      ['A', 'B', 'C'].map(async (name) => ({
        bytes: await makeDocument(name, 2, addDestinations({ x: 1 }), links, outline),
      })),
    );
    const bytes = await merged(...inputs);
    const description = await describeDocument(bytes);
    expect(description.destinations).toEqual({ x: 1, x_2: 3, x_3: 5 });
    expect(pagesLinked(description)).toEqual([[1, 1], [], [3, 3], [], [5, 5], []]);
    const { bookmarks } = await readWithPdfium(bytes);
    expect(bookmarks.map(({ children }) => children.map(({ page }) => page))).toEqual([[1], [3], [5]]);
  });

  it('makes a link to a page that is not taken inert, and does not carry that page along (row 8)', async () => {
    const whole = await makeLinkedPages('A');
    const bytes = await merged({ bytes: whole, pages: '1' });
    const { links, annotations } = await describeDocument(bytes);
    expect(annotations).toEqual([['Link', 'Link', 'Link']]);
    expect(links[0]).toEqual([
      { page: null, uri: null },
      { page: 0, uri: null },
      { page: null, uri: 'https://example.com/' },
    ]);
    const objects = async (document: Uint8Array): Promise<number> =>
      (await PDFDocument.load(document)).context.enumerateIndirectObjects().length;
    const alone = await merged({
      bytes: await makeDocument('A', 1, addLinks(new Array(3).fill({ from: 0, to: { page: 0 } }))),
    });
    expect(await objects(bytes)).toBe(await objects(alone));
  });

  it('keeps the labels of both inputs (table 2.2)', async () => {
    const bytes = await merged({ bytes: await makeLabelledPages('A') }, { bytes: await makeLabelledPages('B') });
    const labels = ['i', 'ii', 'A-7', 'A-8', 'Cover'];
    expect((await readWithPdfium(bytes)).pages.map(({ label }) => label)).toEqual([...labels, ...labels]);
  });

  it('makes the same bytes of the same inputs, whatever they have', async () => {
    const inputs = [{ bytes: await makeNestedOutline('A') }, { bytes: await makeNamedDestinations('B') }];
    const [one, other] = [await merged(...inputs), await merged(...inputs)];
    expect(Buffer.compare(one, other)).toBe(0);
  });
});
