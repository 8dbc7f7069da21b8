import { PDFArray, PDFDict, PDFDocument, PDFHexString, PDFName, type PDFObject, type PDFRef, PDFString } from 'pdf-lib';
import { describeForm } from '../../../../../test/support/documents/describe-form.js';
import { makeDocument, saveDocument } from '../../../../../test/support/documents/make-document.js';
import { textAt } from '../../document/objects/read-entry.js';
import { listPages } from '../../document/page-tree/list-pages.js';
import { beginAssembly } from '../begin-assembly.js';

type Value = PDFObject | string | number | boolean | readonly PDFObject[] | { readonly [key: string]: Value };
type Entries = Readonly<Record<string, Value>>;

/** A document of two pages with this as its form; `fields` makes what it lists. */
async function withForm(
  fields: (document: PDFDocument) => readonly PDFObject[],
  entries: (document: PDFDocument) => Entries = () => ({}),
): Promise<PDFDocument> {
  const document = await PDFDocument.load(await makeDocument('form', 2), { updateMetadata: false });
  const listed = document.context.obj([...fields(document)]);
  document.catalog.set(PDFName.of('AcroForm'), dictOf(document, { ...entries(document), Fields: listed }));
  return document;
}

function dictOf({ context }: PDFDocument, entries: Entries): PDFDict {
  return context.obj(entries as Parameters<typeof context.obj>[0]) as PDFObject as PDFDict;
}

/** A widget on a page (0-based), listed there. */
function widget(document: PDFDocument, page: number, entries: Entries): PDFRef {
  const { context } = document;
  const Rect = context.obj([0, 0, 9, 9]);
  const ref = context.register(dictOf(document, { Type: 'Annot', Subtype: 'Widget', Rect, ...entries }));
  document.getPage(page).node.addAnnot(ref);
  return ref;
}

function field(document: PDFDocument, name: string, entries: Entries = {}): PDFRef {
  return widget(document, 0, { T: PDFString.of(name), FT: 'Tx', ...entries });
}

function font({ context }: PDFDocument, base: string): PDFRef {
  return context.register(context.obj({ Type: 'Font', Subtype: 'Type1', BaseFont: base }));
}

/** The document that these pages (0-based; all without them) of sources make. */
async function assembled(
  ...sources: ReadonlyArray<PDFDocument | readonly [PDFDocument, number[]]>
): Promise<PDFDocument> {
  const assembly = await beginAssembly();
  for (const [input, source] of sources.entries()) {
    const [document, indices = undefined] = source instanceof PDFDocument ? [source] : source;
    const read = await PDFDocument.load(await saveDocument(document), { updateMetadata: false });
    const { pages } = listPages(read, 100);
    assembly.add(
      { document: read, pages, warnings: [], input, name: `${input}.pdf` },
      indices ?? pages.map((_, index) => index),
    );
  }
  assembly.finish();
  return PDFDocument.load(await saveDocument(assembly.document), { updateMetadata: false });
}

function namesOf(document: PDFDocument): string[] {
  return describeForm(document).map(({ name }) => name);
}

function formOf({ catalog }: PDFDocument): PDFDict {
  return catalog.lookup(PDFName.of('AcroForm'), PDFDict);
}

function fieldsOf(document: PDFDocument): PDFDict[] {
  const fields = formOf(document).lookup(PDFName.of('Fields'), PDFArray);
  return fields.asArray().map((_, at) => fields.lookup(at, PDFDict));
}

const text = (value: string): PDFHexString => PDFHexString.fromText(value);
const appearance = (font: string): PDFString => PDFString.of(`/${font} 10 Tf 0 g`);

describe('the fonts of forms', () => {
  const withFont = (base: string): Promise<PDFDocument> =>
    withForm(
      (document) => [field(document, 'a', { DA: appearance('F') }), field(document, 'b')],
      (document) => ({ DA: appearance('F'), DR: { Font: { F: font(document, base) } } }),
    );

  it('of one name are one where they are the same', async () => {
    const document = await assembled(await withFont('Helvetica'), await withFont('Helvetica'));
    expect(formOf(document).lookup(PDFName.of('DR'), PDFDict).lookup(PDFName.of('Font'), PDFDict).keys()).toEqual([
      PDFName.of('F'),
    ]);
  });

  it('of one name get another where they are not, and what selects them follows', async () => {
    const document = await assembled(await withFont('Helvetica'), await withFont('Courier'));
    const fonts = formOf(document).lookup(PDFName.of('DR'), PDFDict).lookup(PDFName.of('Font'), PDFDict);
    const bases = fonts.keys().map((key) => fonts.lookup(key, PDFDict).get(PDFName.of('BaseFont'))?.toString());
    expect([fonts.keys().map((key) => key.toString()), bases]).toEqual([
      ['/F', '/F_2'],
      ['/Helvetica', '/Courier'],
    ]);
    expect(fieldsOf(document).map((dict) => textAt(dict, 'DA'))).toEqual([
      '/F 10 Tf 0 g',
      '/F 10 Tf 0 g',
      '/F_2 10 Tf 0 g',
      '/F_2 10 Tf 0 g',
    ]);
  });

  it('come along as far as the fields of a selection select them', async () => {
    const source = await withForm(
      (document) => [
        field(document, 'a', { DA: appearance('A') }),
        widget(document, 1, { T: text('b'), FT: 'Tx', DA: appearance('B') }),
      ],
      (document) => ({ DR: { Font: { A: font(document, 'Helvetica'), B: font(document, 'Courier') } } }),
    );
    const document = await assembled([source, [1]]);
    expect(formOf(document).lookup(PDFName.of('DR'), PDFDict).toString()).toContain('/B');
    expect(formOf(document).lookup(PDFName.of('DR'), PDFDict).toString()).not.toContain('/A ');
  });
});

describe('what a form says of all its fields', () => {
  it('is said by its fields, when forms differ', async () => {
    const aligned = (alignment: number): Promise<PDFDocument> =>
      withForm(
        (document) => [field(document, 'own', { Q: 0 }), field(document, 'taken')],
        () => ({ Q: alignment }),
      );
    const document = await assembled(await aligned(1), await aligned(2));
    expect(fieldsOf(document).map((dict) => dict.get(PDFName.of('Q'))?.toString())).toEqual(['0', '1', '0', '2']);
  });

  it('keeps the order in which fields calculate, and asks for appearances if any form did', async () => {
    const calculating = (needsAppearances: boolean): Promise<PDFDocument> =>
      withForm(
        (document) => [field(document, 'a'), field(document, 'b')],
        ({ context }) => {
          const refs = context
            .enumerateIndirectObjects()
            .filter(([, object]) => object instanceof PDFDict && object.has(PDFName.of('FT')));
          return { NeedAppearances: needsAppearances, CO: refs.map(([ref]) => ref).reverse() };
        },
      );
    const document = await assembled(await calculating(false), await calculating(true));
    const order = formOf(document).lookup(PDFName.of('CO'), PDFArray);
    expect(order.asArray().map((_, at) => textAt(order.lookup(at, PDFDict), 'T'))).toEqual(['b', 'a', 'b_2', 'a_2']);
    expect(formOf(document).get(PDFName.of('NeedAppearances'))?.toString()).toBe('true');
  });

  it('is not kept of signatures, scripts and XFA', async () => {
    const source = await withForm(
      (document) => [field(document, 'a')],
      () => ({ SigFlags: 3, XFA: text('xfa') }),
    );
    expect(
      formOf(await assembled(source))
        .keys()
        .map(String)
        .sort(),
    ).toEqual(['/Fields']);
  });
});

describe('a widget that no form lists', () => {
  it('is a field when it is a complete one, alone or with what is above it', async () => {
    const source = await withForm((document) => {
      const parent = document.context.register(document.context.obj({ T: text('parent'), FT: 'Btn' }));
      field(document, 'alone');
      widget(document, 0, { Parent: parent });
      widget(document, 1, { Parent: parent });
      return [field(document, 'listed')];
    });
    expect(describeForm(await assembled(source)).map(({ name, pages }) => [name, pages])).toEqual([
      ['listed', [0]],
      ['alone', [0]],
      ['parent', [0, 1]],
    ]);
  });

  it('stays an annotation when it is none, and drags nothing along', async () => {
    const source = await withForm((document) => {
      const parent = document.context.register(document.context.obj({ Kids: [] }));
      const other = widget(document, 1, { Parent: parent, Marker: 1 });
      document.context.lookup(parent, PDFDict).set(PDFName.of('Kids'), document.context.obj([other]));
      widget(document, 0, { Parent: parent });
      return [];
    });
    const document = await assembled([source, [0]]);
    expect(document.catalog.has(PDFName.of('AcroForm'))).toBe(false);
    expect(document.getPage(0).node.Annots()?.size()).toBe(1);
    const dicts = document.context.enumerateIndirectObjects().map(([, object]) => object);
    expect(dicts.some((object) => object instanceof PDFDict && object.has(PDFName.of('Marker')))).toBe(false);
  });
});

describe('fields', () => {
  it('without a widget come along with the whole document, and with no part of it', async () => {
    const source = await withForm((document) => [
      field(document, 'seen'),
      document.context.register(document.context.obj({ T: text('data'), FT: 'Tx', V: text('1') })),
    ]);
    expect(namesOf(await assembled(source))).toEqual(['seen', 'data']);
    expect(namesOf(await assembled([source, [0]]))).toEqual(['seen']);
  });

  it('that something else refers to do not come along without a page that shows them', async () => {
    const source = await withForm((document) => {
      const hidden = widget(document, 1, { T: text('other'), FT: 'Tx', V: text('secret') });
      return [field(document, 'one', { A: { S: 'Hide', T: hidden } }), hidden];
    });
    const document = await assembled([source, [0]]);
    expect(namesOf(document)).toEqual(['one']);
    const dicts = document.context.enumerateIndirectObjects().map(([, object]) => object);
    expect(dicts.some((object) => object instanceof PDFDict && textAt(object, 'V') === 'secret')).toBe(false);
  });

  it('of one name in one form stay of one name', async () => {
    const twins = (): Promise<PDFDocument> => withForm((document) => [field(document, 'a'), field(document, 'a')]);
    expect(namesOf(await assembled(await twins(), await twins()))).toEqual(['a', 'a', 'a_2', 'a_2']);
  });

  it('are found in forms of any shape', async () => {
    const source = await withForm((document) => {
      const { context } = document;
      const loop = context.nextRef();
      const shown = field(document, 'shown', { Parent: loop });
      context.assign(
        loop,
        context.obj({ T: text('loop'), Parent: loop, Kids: [loop, shown, shown, 7, context.nextRef()] }),
      );
      let deep = field(document, 'deep');
      for (let level = 0; level < 2_000; level += 1) {
        const above = context.register(context.obj({ Kids: [deep] }));
        context.lookup(deep, PDFDict).set(PDFName.of('Parent'), above);
        deep = above;
      }
      return [loop, loop, deep, context.obj([1]), context.obj({ T: text('direct') })];
    });
    const names = fieldsOf(await assembled(source)).map((dict) => textAt(dict, 'T'));
    expect(names).toEqual(['loop', undefined]);
  });
});
