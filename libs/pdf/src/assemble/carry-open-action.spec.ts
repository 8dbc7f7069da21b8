import { PDFArray, PDFDocument, PDFName, type PDFObject, PDFString } from 'pdf-lib';
import { assembleDocument, type Part } from '../../../../test/support/documents/assemble-document.js';
import { addDestinations } from '../../../../test/support/documents/make-destinations.js';
import { makeDocument } from '../../../../test/support/documents/make-document.js';

type MakeOpenAction = (document: PDFDocument) => PDFObject;

const toSecondPage: MakeOpenAction = (document) => document.context.obj([document.getPage(1).ref, 'Fit']);
const actionTo =
  (make: MakeOpenAction): MakeOpenAction =>
  (document) =>
    document.context.obj({ S: 'GoTo', D: make(document), Next: { S: 'JavaScript', JS: PDFString.of('app.beep()') } });

/** Two pages, and what such a document does when it is opened. */
function opening(make: MakeOpenAction): Promise<Uint8Array> {
  return makeDocument('a', 2, addDestinations({ x: 1 }), (document) => {
    document.catalog.set(PDFName.of('OpenAction'), make(document));
  });
}

/** The 0-based page that what is made of parts opens at; `null` when it says nothing. */
async function openedAt(...parts: Part[]): Promise<number | null> {
  const document = await PDFDocument.load((await assembleDocument(parts)).bytes);
  const action = document.catalog.lookup(PDFName.of('OpenAction'));
  if (action === undefined) return null;
  return document.getPages().findIndex(({ ref }) => action instanceof PDFArray && action.get(0) === ref);
}

describe('a document opens', () => {
  it.each([
    ['an explicit destination', toSecondPage],
    ['a named destination', () => PDFString.of('x')],
    ['an action', actionTo(toSecondPage)],
    ['an action with a name', actionTo(() => PDFString.of('x'))],
  ])('where its first source does, by %s', async (_how, make) => {
    const bytes = await opening(make);
    expect(await openedAt({ bytes, pages: [1, 0] }, { bytes })).toBe(0);
    expect(await openedAt({ bytes }, { bytes })).toBe(1);
  });

  it('anywhere when that page was not taken, or when another source says where', async () => {
    const bytes = await opening(toSecondPage);
    expect(await openedAt({ bytes, pages: [0] })).toBeNull();
    expect(await openedAt({ bytes: await makeDocument('b', 1) }, { bytes })).toBeNull();
  });

  it.each<[string, MakeOpenAction]>([
    ['a script', ({ context }) => context.obj({ S: 'JavaScript', JS: PDFString.of('app.beep()') })],
    ['a name that is not there', () => PDFString.of('missing')],
    ['a number', ({ context }) => context.obj(7)],
  ])('without %s', async (_what, make) => {
    expect(await openedAt({ bytes: await opening(make) })).toBeNull();
  });
});
