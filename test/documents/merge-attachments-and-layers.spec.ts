import { PDFArray, PDFDict, PDFDocument, PDFName, PDFString } from 'pdf-lib';
import { addAttachments, makeAttachments } from '../support/documents/make-attachments.js';
import { makeDocument, saveDocument } from '../support/documents/make-document.js';
import { addLayers, makeLayers } from '../support/documents/make-layers.js';
import { differingShares, mergeAndCheck } from '../support/documents/merge-and-check.js';
import { readWithPdfium } from '../support/documents/read-with-pdfium.js';

async function changed(bytes: Uint8Array, change: (document: PDFDocument) => void): Promise<Uint8Array> {
  const document = await PDFDocument.load(bytes, { updateMetadata: false });
  change(document);
  return saveDocument(document);
}

function defaultsOf({ catalog }: PDFDocument): PDFDict {
  return catalog.lookup(PDFName.of('OCProperties'), PDFDict).lookup(PDFName.of('D'), PDFDict);
}

describe('attachments in a merge', () => {
  it('are four of two documents with two each, sorted, and renamed on a clash (row 10)', async () => {
    const { bytes, described, warnings } = await mergeAndCheck([
      await makeAttachments('one'),
      await makeAttachments('two'),
    ]);
    expect(described.attachments).toEqual({
      files: { 'notes.txt': 12, 'notes.txt_2': 12, 'one.csv': 8, 'two.csv': 8 },
      areSorted: true,
      onPages: [
        { page: 0, name: 'pinned.txt', bytes: 13 },
        { page: 1, name: 'pinned.txt', bytes: 13 },
      ],
    });
    const { attachments } = await readWithPdfium(bytes);
    expect(attachments.map((attachment) => Buffer.from(attachment.bytes).toString())).toEqual([
      'notes of one',
      'notes of two',
      'a,b\n1,2\n',
      'a,b\n1,2\n',
    ]);
    expect(warnings).toEqual([]);
  });

  it('come along with a selection of pages, once', async () => {
    const given = await makeDocument('many', 3, addAttachments({ 'a.txt': 'a' }));
    const { described } = await mergeAndCheck([{ bytes: given, pages: '2,2,3' }]);
    expect(described.attachments.files).toEqual({ 'a.txt': 1 });
  });

  it('are found in a tree that leads back to itself', async () => {
    const looped = await changed(await makeAttachments('one'), ({ catalog, context }) => {
      const tree = catalog.lookup(PDFName.of('Names'), PDFDict);
      const inner = tree.get(PDFName.of('EmbeddedFiles'));
      const root = context.nextRef();
      context.assign(root, context.obj({ Kids: inner === undefined ? [root] : [root, inner, root, inner] }));
      tree.set(PDFName.of('EmbeddedFiles'), root);
    });
    const { described } = await mergeAndCheck([looped]);
    expect(Object.keys(described.attachments.files)).toEqual(['notes.txt', 'one.csv']);
  });
});

describe('layers in a merge', () => {
  it('are each shown or hidden as they were, and look it', async () => {
    const [one, two] = [await makeLayers('one'), await makeLayers('two')];
    const { bytes, described, warnings } = await mergeAndCheck([one, two]);
    expect(described.layers).toEqual([
      { name: 'Shown', isVisible: true },
      { name: 'Hidden', isVisible: false },
      { name: 'Shown', isVisible: true },
      { name: 'Hidden', isVisible: false },
    ]);
    expect(await differingShares(bytes, [one, two])).toEqual([0, 0]);
    expect(warnings).toEqual([]);
  });

  it('stay hidden where all are but those that are named', async () => {
    const off = await changed(await makeLayers('off'), (document) => {
      const byDefault = defaultsOf(document);
      const [first] = document.catalog
        .lookup(PDFName.of('OCProperties'), PDFDict)
        .lookup(PDFName.of('OCGs'), PDFArray)
        .asArray();
      byDefault.delete(PDFName.of('OFF'));
      byDefault.set(PDFName.of('BaseState'), PDFName.of('OFF'));
      byDefault.set(PDFName.of('ON'), document.context.obj(first === undefined ? [] : [first]));
    });
    const { bytes, described } = await mergeAndCheck([await makeLayers('one'), off]);
    expect(described.layers?.map(({ isVisible }) => isVisible)).toEqual([true, false, true, false]);
    expect(await differingShares(bytes, [await makeLayers('one'), off])).toEqual([0, 0]);
  });

  it('are those of the pages taken, and so is all that is said of layers', async () => {
    const three = await makeDocument(
      'three',
      2,
      addLayers([
        { name: 'A', page: 0, isVisible: false },
        { name: 'B', page: 1, isVisible: false },
        { name: 'C', page: 1, isVisible: true },
      ]),
    );
    const grouped = await changed(three, (document) => {
      const layers = document.catalog
        .lookup(PDFName.of('OCProperties'), PDFDict)
        .lookup(PDFName.of('OCGs'), PDFArray)
        .asArray();
      const [a, b, c] = layers;
      if (a === undefined || b === undefined || c === undefined) throw new Error('There are three layers.');
      const order = [PDFString.of('label'), [PDFString.of('only A'), a], [PDFString.of('of page 2'), b, [c]]];
      defaultsOf(document).set(PDFName.of('Order'), document.context.obj(order));
      defaultsOf(document).set(PDFName.of('RBGroups'), document.context.obj([[a, b], [a]]));
      defaultsOf(document).set(PDFName.of('Locked'), document.context.obj([a, c]));
    });
    const { bytes, described } = await mergeAndCheck([{ bytes: grouped, pages: '2' }]);
    expect(described.layers).toEqual([
      { name: 'B', isVisible: false },
      { name: 'C', isVisible: true },
    ]);
    const document = await PDFDocument.load(bytes, { updateMetadata: false });
    const [b, c] = document.catalog
      .lookup(PDFName.of('OCProperties'), PDFDict)
      .lookup(PDFName.of('OCGs'), PDFArray)
      .asArray();
    const byDefault = defaultsOf(document);
    expect(byDefault.get(PDFName.of('Order'))?.toString()).toBe(
      `[ (label) [ (of page 2) ${b?.toString()} [ ${c?.toString()} ] ] ]`,
    );
    expect(byDefault.get(PDFName.of('RBGroups'))?.toString()).toBe(`[ [ ${b?.toString()} ] ]`);
    expect(byDefault.get(PDFName.of('Locked'))?.toString()).toBe(`[ ${c?.toString()} ]`);
  });
});
