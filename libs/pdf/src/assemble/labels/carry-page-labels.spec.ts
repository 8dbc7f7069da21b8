import { PDFArray, PDFDict, PDFDocument, PDFName, PDFNull, PDFNumber } from 'pdf-lib';
import { assembleDocument, type Part } from '../../../../../test/support/documents/assemble-document.js';
import { describeDocument } from '../../../../../test/support/documents/describe-document.js';
import { makeDocument } from '../../../../../test/support/documents/make-document.js';
import { addLabels, makeLabelledPages } from '../../../../../test/support/documents/make-labels.js';

async function labelsOf(...parts: Part[]): Promise<readonly string[] | null> {
  return (await describeDocument((await assembleDocument(parts)).bytes)).labels;
}

/** How many ranges the labels of what is made of a part have. */
async function rangesOf(part: Part): Promise<number> {
  const { catalog } = await PDFDocument.load((await assembleDocument([part])).bytes);
  return catalog.lookup(PDFName.of('PageLabels'), PDFDict).lookup(PDFName.of('Nums'), PDFArray).size() / 2;
}

describe('page labels', () => {
  it('go with their pages', async () => {
    const bytes = await makeLabelledPages('a');
    expect(await labelsOf({ bytes })).toEqual(['i', 'ii', 'A-7', 'A-8', 'Cover']);
    expect(await labelsOf({ bytes, pages: [4, 3, 1] })).toEqual(['Cover', 'A-8', 'ii']);
    expect(await labelsOf({ bytes, pages: [3, 3] })).toEqual(['A-8', 'A-8']);
  });

  it('have every style', async () => {
    const styles = (['D', 'R', 'r', 'A', 'a'] as const).map((style, from) => ({ from, style, start: 27 }));
    const bytes = await makeDocument('a', 5, addLabels(styles));
    expect(await labelsOf({ bytes })).toEqual(['27', 'XXVII', 'xxvii', 'AA', 'aa']);
  });

  it('of a source without any are its numbers, from the first page that is taken', async () => {
    const [labelled, plain] = [await makeLabelledPages('a'), await makeDocument('b', 5)];
    expect(
      await labelsOf({ bytes: plain, pages: [3, 4, 3] }, { bytes: labelled, pages: [1] }, { bytes: plain }),
    ).toEqual(['1', '2', '3', 'ii', '1', '2', '3', '4', '5']);
  });

  it('are left out when no source has any', async () => {
    const bytes = await makeDocument('a', 2);
    expect(await labelsOf({ bytes }, { bytes })).toBeNull();
  });

  it('have one range for pages that follow one another', async () => {
    const bytes = await makeDocument('a', 50, addLabels([{ from: 0, style: 'D', prefix: 'p', start: 10 }]));
    expect(await rangesOf({ bytes })).toBe(1);
    expect(await rangesOf({ bytes, pages: [3, 4, 5, 9, 10] })).toBe(2);
  });

  it('are numbers from 1 where they are not what they should be', async () => {
    const bytes = await makeDocument('a', 5, ({ catalog, context }) => {
      const odd = [2, { S: 'X', St: -3, P: 7 }, 'x', {}, 3, { S: 'D', St: 1.5 }, 4, 'x', -1, {}, 99, {}, 5];
      catalog.set(PDFName.of('PageLabels'), context.obj({ Nums: odd }));
    });
    expect(await labelsOf({ bytes })).toEqual(['1', '2', '', '1', '1']);
  });

  it('are read from a tree node by node, once each, whatever leads back', async () => {
    const bytes = await makeDocument('a', 3, ({ catalog, context }) => {
      const root = context.nextRef();
      const leaf = context.register(context.obj({ Nums: [PDFNumber.of(1), { S: 'r' }] }));
      context.assign(root, context.obj({ Kids: [root, leaf, leaf, PDFNull, 7], Nums: [0, { S: 'A' }] }));
      catalog.set(PDFName.of('PageLabels'), root);
    });
    expect(await labelsOf({ bytes })).toEqual(['A', 'i', 'ii']);
  });
});
