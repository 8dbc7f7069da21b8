import { PDFArray, PDFDict, type PDFDocument, type PDFObject, PDFRef } from 'pdf-lib';
import { dictAt, keyOf, nameAt, treeEntries, valueAt } from './objects.js';

/** Named destinations and where they lead: 0-based pages, `null` for what leads to no page of this document. */
export type DescribedDestinations = Readonly<Record<string, number | null>>;

/** Finds the page that a destination leads to. */
export interface DestinationFinder {
  /** All named destinations, of the name tree and of the old dictionary. */
  readonly named: DescribedDestinations;
  /** The page of a destination as links and bookmarks hold it: explicit, or a name. */
  pageOf(this: void, destination: PDFObject | undefined): number | null;
  /** The page of a link or bookmark: its `Dest`, or that of its GoTo action. */
  targetOf(this: void, holder: PDFDict): number | null;
}

/** Reads the destinations of a document. */
export function findDestinations(document: PDFDocument): DestinationFinder {
  const pages = new Map(document.getPages().map(({ ref }, index) => [ref, index] as const));
  const explicit = (value: PDFObject | undefined): number | null => {
    const found = document.context.lookup(value);
    const array = found instanceof PDFDict ? valueAt(found, 'D') : found;
    const target = array instanceof PDFArray ? array.get(0) : undefined;
    return target instanceof PDFRef ? (pages.get(target) ?? null) : null;
  };
  const named = Object.fromEntries([...namedOf(document)].map(([name, value]) => [name, explicit(value)]));
  const pageOf = (destination: PDFObject | undefined): number | null => {
    const name = keyOf(document.context.lookup(destination));
    return name === undefined ? explicit(destination) : (named[name] ?? null);
  };
  const targetOf = (holder: PDFDict): number | null => {
    const own = valueAt(holder, 'Dest');
    if (own !== undefined) return pageOf(own);
    const action = dictAt(holder, 'A');
    return nameAt(action, 'S') === 'GoTo' ? pageOf(valueAt(action, 'D')) : null;
  };
  return { named, pageOf, targetOf };
}

function namedOf({ catalog }: PDFDocument): Map<string, PDFObject | undefined> {
  const named = new Map<string, PDFObject | undefined>();
  for (const [key, value] of dictAt(catalog, 'Dests')?.entries() ?? []) named.set(key.decodeText(), value);
  for (const { key, value } of treeEntries(dictAt(dictAt(catalog, 'Names'), 'Dests'), 'Names'))
    named.set(keyOf(key) ?? '', value);
  return named;
}
