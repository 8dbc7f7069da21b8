import { PDFDict, PDFDocument, type PDFContext, PDFName, type PDFRef, PDFStream } from 'pdf-lib';
import { listPages } from '../../document/page-tree/list-pages.js';
import { extractPages } from '../extract-pages.js';

type Entries = NonNullable<Parameters<PDFContext['stream']>[1]>;

/** A document whose pages are written by hand. The last page is empty, so that no other page is the whole document. */
class Draft {
  private constructor(
    readonly document: PDFDocument,
    readonly context: PDFContext,
  ) {}

  static async begin(): Promise<Draft> {
    const document = await PDFDocument.create({ updateMetadata: false });
    return new Draft(document, document.context);
  }

  add(content: string, entries: Entries = {}): PDFRef {
    return this.context.register(this.context.stream(content, entries));
  }

  form(content: string, entries: Entries = {}): PDFRef {
    return this.add(content, { Type: 'XObject', Subtype: 'Form', ...entries });
  }

  /** So many images, by the names Im1, Im2 and so on; what they hold is their name. */
  images(count: number): Record<string, PDFRef> {
    const names = Array.from({ length: count }, (_, index) => `Im${index + 1}`);
    return Object.fromEntries(names.map((name) => [name, this.add(`pixels of ${name}.`, { Subtype: 'Image' })]));
  }

  page(content: string | PDFRef | PDFRef[], resources: Entries, more: Entries = {}): void {
    const { node } = this.document.addPage();
    const contents = typeof content === 'string' ? this.add(content) : content;
    const entries = { Contents: contents, Resources: resources, ...more };
    for (const [key, value] of Object.entries(entries)) node.set(PDFName.of(key), this.context.obj([value]).get(0));
  }

  /** The document that the machine makes of the first page alone. */
  async extract(indices: readonly number[] = [0]): Promise<PDFDocument> {
    this.document.addPage();
    const bytes = await this.document.save({ useObjectStreams: false });
    const document = await PDFDocument.load(bytes, { updateMetadata: false });
    const { pages } = listPages(document, 100);
    const source = { document, pages, warnings: [], input: 0, name: 'source.pdf' };
    const extract = await extractPages(source, indices);
    return PDFDocument.load(await extract.document.save({ useObjectStreams: false, addDefaultPage: false }), {
      updateMetadata: false,
    });
  }
}

let draft: Draft;
beforeEach(async () => {
  draft = await Draft.begin();
});

/** The images that a document has, wherever. */
function imagesIn({ context }: PDFDocument): string[] {
  const streams = context
    .enumerateIndirectObjects()
    .flatMap(([, object]) => (object instanceof PDFStream ? [object] : []));
  const texts = streams.map((stream) => Buffer.from(stream.getContents()).toString('latin1'));
  return texts.flatMap((text) => /pixels of (\w+)/.exec(text)?.[1] ?? []).sort();
}

function namesAt(document: PDFDocument, category: string): string[] {
  const resources = document.getPage(0).node.Resources();
  const dict = resources?.lookup(PDFName.of(category));
  return dict instanceof PDFDict ? dict.keys().map((key) => key.decodeText()) : [];
}

async function imagesKept(indices?: readonly number[]): Promise<string[]> {
  return imagesIn(await draft.extract(indices));
}

describe('a page that is taken alone', () => {
  it('takes of each dictionary of resources what it names, and what is used without being named', async () => {
    const two = { A: draft.add('a'), B: draft.add('b') };
    const spaces = { A: ['CalGray'], DefaultRGB: ['CalRGB'], B: ['Lab'] };
    const categories = {
      ExtGState: { A: {}, B: {} },
      Font: { A: {}, B: {} },
      Pattern: two,
      Properties: { A: {}, B: {} },
    };
    const content = '/A gs /A 9 Tf /A cs /A scn /A sh /OC /A BDC EMC';
    draft.page(content, { ...categories, ColorSpace: spaces, Shading: { A: {}, B: {} }, ProcSet: ['PDF'] });
    const extract = await draft.extract();
    const kept = [...Object.keys(categories), 'Shading'].map((category) => [category, namesAt(extract, category)]);
    expect(kept).toEqual([...Object.keys(categories), 'Shading'].map((category) => [category, ['A']]));
    expect(namesAt(extract, 'ColorSpace').sort()).toEqual(['A', 'DefaultRGB']);
    expect(extract.getPage(0).node.Resources()?.has(PDFName.of('ProcSet'))).toBe(true);
  });

  it('leaves out a dictionary that it names nothing of', async () => {
    draft.page('q Q', { XObject: draft.images(2) });
    const extract = await draft.extract();
    expect(imagesIn(extract)).toEqual([]);
    expect(extract.getPage(0).node.Resources()?.has(PDFName.of('XObject'))).toBe(false);
  });

  it('takes what any of its contents names, also where an operator stands in the next one', async () => {
    draft.page([draft.add('/Im1 Do /Im2'), draft.add('Do')], { XObject: draft.images(3) });
    expect(await imagesKept()).toEqual(['Im1', 'Im2']);
  });

  it('takes nothing for a name in a string, a comment or an inline image', async () => {
    const content = '(/Im2 Do) Tj % /Im2 Do\nBI /W 8 /H 1 /BPC 8 /CS /G ID /Im2 Do \nEI /Im1 Do';
    draft.page(content, { XObject: draft.images(1) });
    expect(await imagesKept()).toEqual(['Im1']);
  });

  it('understands names however they are escaped', async () => {
    draft.page('/Im#31 Do /A#2fB Do', { XObject: { ...draft.images(2), 'A/B': draft.add('pixels of slash') } });
    expect(await imagesKept()).toEqual(['Im1', 'slash']);
  });

  it('keeps everything of a document that is taken whole', async () => {
    draft.page('q Q', { XObject: draft.images(2) });
    expect(await imagesKept([0, 1])).toEqual(['Im1', 'Im2']);
  });
});

describe('what is drawn by a page that is taken alone', () => {
  it('loses what it does not name either, however deep it is', async () => {
    const images = draft.images(4);
    const inner = draft.form('/Im1 Do', { Resources: { XObject: images } });
    const outer = draft.form('/Inner Do /Im2 Do', { Resources: { XObject: { ...images, Inner: inner } } });
    draft.page('/Outer Do', { XObject: { Outer: outer, ...images } });
    expect(await imagesKept()).toEqual(['Im1', 'Im2']);
  });

  it('takes from its page what it does not have itself', async () => {
    const images = draft.images(4);
    const bare = draft.form('/Im1 Do');
    const half = draft.form('/Bare Do /Im2 Do', { Resources: { XObject: { Bare: bare } } });
    draft.page('/Half Do', { XObject: { ...images, Half: half } });
    expect(await imagesKept()).toEqual(['Im1', 'Im2']);
  });

  it.each([
    ['tiling patterns', (form: PDFRef) => ({ content: '/X scn', resources: { Pattern: { X: form } } })],
    [
      'masks',
      (form: PDFRef) => ({ content: '/X gs', resources: { ExtGState: { X: { SMask: { S: 'Alpha', G: form } } } } }),
    ],
    [
      'the states of shading patterns',
      (form: PDFRef) => ({
        content: '/X scn',
        resources: { Pattern: { X: { PatternType: 2, ExtGState: { SMask: { G: form } } } } },
      }),
    ],
  ])('is followed into %s', async (_what, use) => {
    const images = draft.images(4);
    const form = draft.form('/Im1 Do /Im2 Do', { Resources: { XObject: images } });
    const { content, resources } = use(form);
    draft.page(content, { ...resources, XObject: draft.images(0) });
    expect(await imagesKept()).toEqual(['Im1', 'Im2']);
  });

  it.each(['Tf', 'gs'])('is followed into the glyphs of Type 3 fonts (%s)', async (operator) => {
    const XObject = draft.images(4);
    const CharProcs = { a: draft.add('/Im1 Do'), b: draft.add('/Im2 Do') };
    const font = draft.context.register(
      draft.context.obj({ Type: 'Font', Subtype: 'Type3', CharProcs, Resources: { XObject } }),
    );
    const resources = { Font: { X: font }, ExtGState: { X: { Font: [font, 9] } } };
    draft.page(operator === 'Tf' ? '/X 9 Tf' : '/X gs', resources);
    expect(await imagesKept()).toEqual(['Im1', 'Im2']);
  });

  it('includes annotations, which may draw with the resources of their page', async () => {
    const appearance = draft.form('/Im1 Do');
    const states = { On: draft.form('/Im2 Do') };
    const annotations = [appearance, states].map((N) => draft.context.obj({ Subtype: 'Stamp', AP: { N } }));
    draft.page('q Q', { XObject: draft.images(3) }, { Annots: annotations });
    expect(await imagesKept()).toEqual(['Im1', 'Im2']);
  });

  it('is the same for each page that draws it', async () => {
    const form = draft.form('/Im1 Do', { Resources: { XObject: draft.images(3) } });
    draft.page('/X Do', { XObject: { X: form } });
    draft.page('/X Do', { XObject: { X: form } });
    expect(await imagesKept([0, 1])).toEqual(['Im1']);
  });
});

describe('a page of which it cannot be told what it uses', () => {
  it.each([
    ['a content that cannot be decoded', { Filter: 'DCTDecode' }, 'q Q'],
    ['a content that is damaged', { Filter: 'FlateDecode' }, 'q Q'],
    ['a content that breaks off', {}, 'q (no end'],
  ])('keeps all: %s', async (_what, entries, content) => {
    draft.page(draft.add(content, entries), { XObject: draft.images(2) });
    expect(await imagesKept()).toEqual(['Im1', 'Im2']);
  });

  it('keeps all: a form that cannot be read', async () => {
    draft.page('/X Do', { XObject: { ...draft.images(2), X: draft.form('(no end') } });
    expect(await imagesKept()).toEqual(['Im1', 'Im2']);
  });

  it('keeps all: a form that draws itself', async () => {
    const loop = draft.context.nextRef();
    draft.context.assign(loop, draft.context.stream('/L Do', { Subtype: 'Form', Resources: { XObject: { L: loop } } }));
    draft.page('/L Do', { XObject: { ...draft.images(2), L: loop } });
    expect(await imagesKept()).toEqual(['Im1', 'Im2']);
  });

  it('keeps all: forms deeper than sound ones are', async () => {
    const XObject = draft.images(2);
    let form = draft.form('q Q');
    for (let depth = 0; depth < 60; depth += 1) form = draft.form('/X Do', { Resources: { XObject: { X: form } } });
    draft.page('/X Do', { XObject: { ...XObject, X: form } });
    expect(await imagesKept()).toEqual(['Im1', 'Im2']);
  });

  it('ends with forms without resources that draw each other', async () => {
    const [a, b] = [draft.form('/B Do /Im1 Do'), draft.form('/A Do')];
    draft.page('/A Do', { XObject: { ...draft.images(2), A: a, B: b } });
    expect(await imagesKept()).toEqual(['Im1']);
  });
});
