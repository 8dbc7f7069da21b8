import { PDFArray, PDFDict, PDFDocument, PDFName, type PDFObject, PDFString } from 'pdf-lib';
import { assembleDocument, type Part } from '../../../../../test/support/documents/assemble-document.js';
import { type DescribedDocument, describeDocument } from '../../../../../test/support/documents/describe-document.js';
import { addDestinations, addOldDestinations } from '../../../../../test/support/documents/make-destinations.js';
import { type Addition, makeDocument } from '../../../../../test/support/documents/make-document.js';
import { addLinks, makeLinkedPages } from '../../../../../test/support/documents/make-links.js';

async function assembled(...parts: Part[]): Promise<DescribedDocument> {
  return describeDocument((await assembleDocument(parts)).bytes);
}

/** The pages that the links of each page lead to. */
function pagesLinked({ links }: DescribedDocument): Array<Array<number | null>> {
  return links.map((onPage) => onPage.map(({ page }) => page));
}

/** Gives the first page a link with an action that is made here. */
function addAction(make: (document: PDFDocument) => PDFObject): Addition {
  return (document) => {
    const annotation = { Type: 'Annot', Subtype: 'Link', Rect: [0, 0, 9, 9], A: make(document) };
    document.getPage(0).node.addAnnot(document.context.register(document.context.obj(annotation)));
  };
}

/** The first annotation of the first page of what is made of a page with such an action. */
async function annotationAfter(bytes: Uint8Array, pages: readonly number[]): Promise<PDFDict> {
  const made = await PDFDocument.load((await assembleDocument([{ bytes, pages }])).bytes);
  return made.getPage(0).node.lookup(PDFName.of('Annots'), PDFArray).lookup(0, PDFDict);
}

describe('named destinations', () => {
  it('are one name tree, whether they came from a tree or from the older dictionary', async () => {
    const bytes = await makeDocument('a', 3, addDestinations({ b: 1, a: 2 }), addOldDestinations({ old: 0 }));
    const { bytes: made } = await assembleDocument([{ bytes }]);
    expect((await describeDocument(made)).destinations).toEqual({ a: 2, b: 1, old: 0 });
    expect((await PDFDocument.load(made)).catalog.has(PDFName.of('Dests'))).toBe(false);
  });

  it('get a number where an earlier source has the name, and the links of their own source follow', async () => {
    const links = addLinks([
      { from: 0, to: { named: 'x' } },
      { from: 0, to: { action: 'x' } },
      { from: 0, to: { oldName: 'y' } },
    ]);
    const bytes = await makeDocument('a', 2, addDestinations({ x: 1 }), addOldDestinations({ y: 0 }), links);
    const description = await assembled({ bytes }, { bytes }, { bytes });
    expect(description.destinations).toEqual({ x: 1, x_2: 3, x_3: 5, y: 0, y_2: 2, y_3: 4 });
    expect(pagesLinked(description)).toEqual([[1, 1, 0], [], [3, 3, 2], [], [5, 5, 4], []]);
  });

  it('of the tree and of the dictionary with one name stay apart, unless they are the same', async () => {
    const links = addLinks([
      { from: 0, to: { named: 'x' } },
      { from: 0, to: { oldName: 'x' } },
    ]);
    const apart = await makeDocument('a', 2, addDestinations({ x: 0 }), addOldDestinations({ x: 1 }), links);
    const same = await makeDocument('a', 2, addDestinations({ x: 1 }), addOldDestinations({ x: 1 }), links);
    expect(await assembled({ bytes: apart })).toMatchObject({ destinations: { x: 0, x_2: 1 } });
    expect(pagesLinked(await assembled({ bytes: apart }))).toEqual([[0, 1], []]);
    expect(await assembled({ bytes: same })).toMatchObject({ destinations: { x: 1 } });
    expect(pagesLinked(await assembled({ bytes: same }))).toEqual([[1, 1], []]);
  });

  it('go with their pages', async () => {
    const bytes = await makeDocument('a', 3, addDestinations({ a: 0, b: 1, c: 2 }));
    expect((await assembled({ bytes, pages: [2, 0] })).destinations).toEqual({ a: 1, c: 0 });
  });

  it('are sorted by their bytes, however many there are', async () => {
    const named = Object.fromEntries(Array.from({ length: 500 }, (_, index) => [`n${index}`, index % 3]));
    const bytes = await makeDocument('a', 3, addDestinations(named));
    const { destinations } = await assembled({ bytes }, { bytes });
    expect(Object.keys(destinations)).toEqual(Object.keys(destinations).toSorted());
    expect(Object.keys(destinations)).toHaveLength(1_000);
  });

  it('lead by page number where they do not refer to the page', async () => {
    const bytes = await makeDocument('a', 2, ({ catalog, context }) => {
      catalog.set(PDFName.of('Dests'), context.obj({ x: [1, 'Fit'], beyond: [2, 'Fit'], half: [0.5, 'Fit'] }));
    });
    expect((await assembled({ bytes })).destinations).toEqual({ x: 1 });
  });

  it('carry nothing along but how a page is shown', async () => {
    const bytes = await makeDocument('a', 1, (document) => {
      const { catalog, context } = document;
      const secret = context.register(context.stream('(for other eyes) Tj'));
      const dest = context.obj([document.getPage(0).ref, 'XYZ', secret, 1, 2, 3, 4, 5]);
      catalog.set(PDFName.of('Dests'), context.obj({ x: dest }));
    });
    const { bytes: made } = await assembleDocument([{ bytes }]);
    expect(Buffer.from(made).includes('for other eyes')).toBe(false);
    expect((await describeDocument(made)).destinations).toEqual({ x: 0 });
  });
});

describe('links', () => {
  it('lead to pages in their new places', async () => {
    const bytes = await makeLinkedPages('a');
    const description = await assembled({ bytes, pages: [2, 0] }, { bytes });
    expect(pagesLinked(description)).toEqual([[1], [0, 1, null], [4, 2, null], [], [2]]);
  });

  it('to pages that were not taken stay as they are drawn and lead nowhere', async () => {
    const bytes = await makeDocument(
      'a',
      2,
      addDestinations({ gone: 1 }),
      addLinks([{ page: 1 }, { named: 'gone' }, { action: 1 }, { action: 'gone' }].map((to) => ({ from: 0, to }))),
    );
    const { bytes: made } = await assembleDocument([{ bytes, pages: [0] }]);
    const document = await PDFDocument.load(made);
    const annotations = document.getPage(0).node.lookup(PDFName.of('Annots'), PDFArray);
    expect(annotations.size()).toBe(4);
    for (const at of annotations.asArray().keys()) {
      const link = annotations.lookup(at, PDFDict);
      expect([link.has(PDFName.of('Dest')), link.has(PDFName.of('A')), link.has(PDFName.of('Border'))]).toEqual([
        false,
        false,
        true,
      ]);
    }
    expect((await describeDocument(made)).destinations).toEqual({});
  });

  it('to what never was a page lead nowhere', async () => {
    const bytes = await makeDocument('a', 1, addLinks([{ from: 0, to: { named: 'missing' } }]));
    expect(pagesLinked(await assembled({ bytes }))).toEqual([[null]]);
  });

  it('of pages that are taken again lead to the pages that were taken again with them', async () => {
    const bytes = await makeDocument(
      'a',
      2,
      addDestinations({ x: 1 }),
      addLinks([
        { from: 0, to: { named: 'x' } },
        { from: 0, to: { page: 1 } },
      ]),
    );
    const description = await assembled({ bytes, pages: [0, 1, 0, 1, 0] });
    expect(pagesLinked(description)).toEqual([[1, 1], [], [3, 3], [], [1, 1]]);
    expect(description.destinations).toEqual({ x: 1 });
  });

  it('to a URI or another file stay as they are', async () => {
    const remote = addAction(({ context }) =>
      context.obj({ S: 'GoToR', F: PDFString.of('b.pdf'), D: PDFString.of('x') }),
    );
    const action = (await annotationAfter(await makeDocument('a', 2, addDestinations({ x: 1 }), remote), [0])).lookup(
      PDFName.of('A'),
      PDFDict,
    );
    expect(String(action)).toBe('<<\n/S /GoToR\n/F (b.pdf)\n/D (x)\n>>');
    expect((await assembled({ bytes: await makeLinkedPages('a'), pages: [0] })).links[0]?.[2]?.uri).toBe(
      'https://example.com/',
    );
  });
});

describe('chains of actions', () => {
  /** Goes to the second page, then opens a URI, then goes to the first page. */
  const chain = addAction((document) => {
    const { context } = document;
    const last = context.obj({ S: 'GoTo', D: [document.getPage(0).ref, 'Fit'] });
    const uri = context.obj({ S: 'URI', URI: PDFString.of('https://example.com/'), Next: last });
    return context.register(
      context.obj({ S: 'GoTo', D: [document.getPage(1).ref, 'Fit'], Next: [context.register(uri)] }),
    );
  });

  it('go on with what follows an action that leads nowhere', async () => {
    const annotation = await annotationAfter(await makeDocument('a', 2, chain), [0]);
    const action = annotation.lookup(PDFName.of('A'), PDFDict);
    expect(String(action.get(PDFName.of('S')))).toBe('/URI');
    expect(String(action.lookup(PDFName.of('Next'), PDFDict).get(PDFName.of('S')))).toBe('/GoTo');
  });

  it('end where they have a loop and lead nowhere', async () => {
    const bytes = await makeDocument(
      'a',
      2,
      addAction((document) => {
        const { context } = document;
        const ref = context.nextRef();
        context.assign(ref, context.obj({ S: 'GoTo', D: [document.getPage(1).ref, 'Fit'], Next: ref }));
        return ref;
      }),
    );
    expect((await annotationAfter(bytes, [0])).has(PDFName.of('A'))).toBe(false);
  });

  it('of other things than links follow the names of their source', async () => {
    const bytes = await makeDocument('a', 2, addDestinations({ x: 1 }), (document) => {
      const { context } = document;
      const opened = context.obj({ O: { S: 'GoTo', D: PDFString.of('x') } });
      document.getPage(0).node.set(PDFName.of('AA'), opened);
    });
    const made = await PDFDocument.load((await assembleDocument([{ bytes }, { bytes }])).bytes);
    const [first, second] = [0, 2].map((page) =>
      made.getPage(page).node.lookup(PDFName.of('AA'), PDFDict).lookup(PDFName.of('O'), PDFDict).get(PDFName.of('D')),
    );
    expect([first, second].map((name) => (name as PDFString).asString())).toEqual(
      ['x', 'x_2'].map((name) => Buffer.from(name).toString('hex')),
    );
  });
});
