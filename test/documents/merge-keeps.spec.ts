import { keptColumns, keptThings, seeDocument } from '../bench/documents/kept-things.js';
import { makeRichDocument } from '../support/documents/make-rich-document.js';
import { differingShares, mergeAndCheck } from '../support/documents/merge-and-check.js';

/** Documents that have everything, each thing under the same name as in the others. */
function richDocuments(letters: readonly string[]): Promise<Uint8Array[]> {
  return Promise.all(letters.map(makeRichDocument));
}

describe.each([[['A', 'B']], [['A', 'B', 'C']]])('a merge of rich documents %j whose names clash', (letters) => {
  it('keeps of each all that a merge may keep, and is sound', async () => {
    const documents = await richDocuments(letters);
    const { bytes, warnings } = await mergeAndCheck(documents);
    const kept = keptThings(await Promise.all(documents.map(seeDocument)), await seeDocument(bytes));
    const fields = 6 * letters.length;
    expect(kept).toEqual({
      ...Object.fromEntries(keptColumns.map((column) => [column, letters.join('+')])),
      'Form fields': `${fields} of ${fields}`,
    });
    expect(warnings).toEqual([]);
  });

  it('reads and looks as the documents do', async () => {
    const documents = await richDocuments(letters);
    const { bytes } = await mergeAndCheck(documents);
    const before = await Promise.all(documents.map(seeDocument));
    const texts = before.flatMap(({ reading }) => reading.pages.map(({ text }) => text));
    expect((await seeDocument(bytes)).reading.pages.map(({ text }) => text)).toEqual(texts);
    expect(await differingShares(bytes, documents)).toEqual(texts.map(() => 0));
  });
});
