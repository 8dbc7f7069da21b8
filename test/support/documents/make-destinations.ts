import { PDFDict, type PDFDocument, PDFName, type PDFObject, PDFString } from 'pdf-lib';
import { explicitDestination } from './link-target.js';
import { addLinks } from './make-links.js';
import { type Addition, makeDocument } from './make-document.js';

/** Named destinations, each to a page (0-based), in a name tree whose leaves hold one name each. Row 6 of the research. */
export function addDestinations(pages: Readonly<Record<string, number>>): Addition {
  return (document) => {
    const entries = Object.entries(pages).map(([name, page]) => [name, explicitDestination(document, page)] as const);
    addNameTree(document, 'Dests', entries);
  };
}

/** The same in the dictionary that documents of PDF 1.1 have in their catalog. Row 6. */
export function addOldDestinations(pages: Readonly<Record<string, number>>): Addition {
  return (document) => {
    const { context } = document;
    const named = context.obj({});
    for (const [name, page] of Object.entries(pages))
      named.set(PDFName.of(name), context.obj({ D: explicitDestination(document, page) }));
    document.catalog.set(PDFName.of('Dests'), context.register(named));
  };
}

/** Four pages; the first leads to the third by a name of the name tree and to the fourth by one of the old dictionary. Rows 6 and 7. */
export async function makeNamedDestinations(name: string): Promise<Uint8Array> {
  return makeDocument(
    name,
    4,
    addDestinations({ alpha: 1, target: 2 }),
    addOldDestinations({ old: 3 }),
    addLinks([
      { from: 0, to: { named: 'target' } },
      { from: 0, to: { action: 'alpha' } },
      { from: 0, to: { oldName: 'old' } },
    ]),
  );
}

/** Puts a name tree into the catalog, with one leaf for each name, in the order of the names. */
export function addNameTree(
  document: PDFDocument,
  tree: 'Dests' | 'EmbeddedFiles',
  entries: ReadonlyArray<readonly [string, PDFObject]>,
): void {
  const { context, catalog } = document;
  const sorted = [...entries].sort(([one], [other]) => (one < other ? -1 : 1));
  const kids = sorted.map(([name, value]) => {
    const key = PDFString.of(name);
    return context.register(context.obj({ Names: [key, value], Limits: [key, key] }));
  });
  const names = catalog.lookupMaybe(PDFName.of('Names'), PDFDict) ?? context.obj({});
  names.set(PDFName.of(tree), context.register(context.obj({ Kids: kids })));
  catalog.set(PDFName.of('Names'), names);
}
