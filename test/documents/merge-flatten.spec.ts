import { PDFDict, PDFDocument, PDFName } from 'pdf-lib';
import { makeAnnotations } from '../support/documents/make-annotations.js';
import { makeForm } from '../support/documents/make-form.js';
import { differingShares, mergeAndCheck } from '../support/documents/merge-and-check.js';
import { readWithPdfium } from '../support/documents/read-with-pdfium.js';
import { saveDocument } from '../support/documents/make-document.js';

/** A form whose widgets are changed. */
async function formWith(change: (widget: PDFDict, document: PDFDocument, name: string) => void): Promise<Uint8Array> {
  const document = await PDFDocument.load(await makeForm('changed'), { updateMetadata: false });
  for (const [, object] of document.context.enumerateIndirectObjects()) {
    if (!(object instanceof PDFDict) || object.get(PDFName.of('Subtype')) !== PDFName.of('Widget')) continue;
    change(object, document, object.get(PDFName.of('T'))?.toString() ?? '');
  }
  return saveDocument(document);
}

describe('a merge that flattens', () => {
  it('leaves no form, and the same text and pixels (row 3)', async () => {
    const forms = [
      await makeForm('one', { text: 'Ada', radio: 'red' }),
      await makeForm('two', { text: 'Bob', radio: 'blue', isChecked: false }),
    ];
    const { bytes, described, warnings } = await mergeAndCheck(forms, { flatten: true });
    expect(warnings).toEqual([]);
    expect([described.fields, described.annotations]).toEqual([[], [[], [], [], []]]);
    const { catalog, context } = await PDFDocument.load(bytes, { updateMetadata: false });
    expect(catalog.has(PDFName.of('AcroForm'))).toBe(false);
    expect(context.enumerateIndirectObjects().filter(([, object]) => isField(object))).toEqual([]);
    expect(await differingShares(bytes, forms)).toEqual([0, 0, 0, 0]);
    const texts = (await readWithPdfium(bytes)).pages.map(({ text }) => text);
    expect(texts[0]).toContain('Ada');
    expect(texts[1]).toContain('Norway');
    expect(texts[2]).toContain('Bob');
  });

  it('keeps annotations that are no fields', async () => {
    const annotated = await makeAnnotations('notes');
    const { bytes, described } = await mergeAndCheck([annotated, await makeForm('form')], { flatten: true });
    expect(described.annotations).toEqual([['Text', 'Popup', 'Text', 'Highlight', 'Stamp'], [], [], []]);
    expect(await differingShares(bytes, [annotated, await makeForm('form')])).toEqual([0, 0, 0, 0]);
  });

  it('fits an appearance into its rectangle whatever box and matrix it has', async () => {
    const turned = await formWith((widget, { context }) => {
      const appearance = context.lookup(widget.lookupMaybe(PDFName.of('AP'), PDFDict)?.get(PDFName.of('N')));
      const dict = appearance !== undefined && 'dict' in appearance ? (appearance.dict as PDFDict) : undefined;
      dict?.set(PDFName.of('BBox'), context.obj([-10, -5, 100, 40]));
      dict?.set(PDFName.of('Matrix'), context.obj([0, 2, -1, 0, 17, 30]));
      widget.set(PDFName.of('Rect'), context.obj([160, 230, 30, 180]));
    });
    const { bytes } = await mergeAndCheck([turned], { flatten: true });
    for (const share of await differingShares(bytes, [turned])) expect(share).toBeLessThan(0.001);
  });

  it('draws what is seen alone', async () => {
    const hidden = await formWith((widget, { context }) => widget.set(PDFName.of('F'), context.obj(2)));
    const { bytes } = await mergeAndCheck([hidden], { flatten: true });
    expect(await differingShares(bytes, [hidden])).toEqual([0, 0]);
    expect((await readWithPdfium(bytes)).pages.map(({ text }) => text)).toEqual(['changed page 1', 'changed page 2']);
  });

  it('draws in place, whatever the content of the page leaves behind', async () => {
    const leaking = await formWith((_widget, document) => {
      for (const { node } of document.getPages())
        node.addContentStream(document.context.register(document.context.stream('Q q 0.5 0 0 0.5 40 40 cm q ')));
    });
    const { bytes } = await mergeAndCheck([leaking], { flatten: true });
    expect(await differingShares(bytes, [leaking])).toEqual([0, 0]);
  });

  it('warns of a text that nothing shows', async () => {
    const bare = await formWith((widget) => widget.delete(PDFName.of('AP')));
    expect((await mergeAndCheck([bare], { flatten: true })).warnings).toEqual(['appearance_missing']);
  });
});

function isField(object: unknown): boolean {
  return (
    object instanceof PDFDict &&
    (object.has(PDFName.of('FT')) || object.get(PDFName.of('Subtype')) === PDFName.of('Widget'))
  );
}
