import { PDFDict, type PDFDocument, PDFHexString, PDFName, PDFRef, PDFString } from 'pdf-lib';
import { type Addition, makeDocument } from './make-document.js';
import { addDestinations } from './make-destinations.js';
import { type LinkTarget, targetEntries } from './link-target.js';

/** One entry of an outline that is to be made. */
export interface OutlineItem {
  readonly title: string;
  /** Without one it leads nowhere. */
  readonly to?: LinkTarget;
  readonly items?: readonly OutlineItem[];
  /** How many entries show below it when the document is opened: all, or none. */
  readonly isClosed?: boolean;
}

/** An outline of these entries. Row 4 of the research. */
export function addOutline(items: readonly OutlineItem[]): Addition {
  return (document) => {
    const { context } = document;
    const root = context.nextRef();
    const kids = placeItems(document, root, items);
    context.assign(root, context.obj({ Type: 'Outlines', ...kids }));
    document.catalog.set(PDFName.of('Outlines'), root);
  };
}

/**
 * Nine pages and an outline of three levels that leads to them by each way there is: an explicit destination, a named one, a GoTo action, a
 * GoTo action with a name; and one entry with a URI and one without any target. Row 4.
 */
export async function makeNestedOutline(name: string): Promise<Uint8Array> {
  return makeDocument(
    name,
    9,
    addDestinations({ chapter: 3, appendix: 8 }),
    addOutline([
      {
        title: `${name} 1`,
        to: { page: 0 },
        items: [
          { title: `${name} 1.1`, to: { page: 1 }, items: [{ title: `${name} 1.1.1`, to: { action: 2 } }] },
          { title: `${name} 1.2`, to: { named: 'chapter' } },
        ],
      },
      {
        title: `${name} 2`,
        to: { action: 'appendix' },
        isClosed: true,
        items: [{ title: `${name} 2.1`, to: { uri: 'https://example.com/' } }],
      },
      { title: `${name} \u00e9\u0436\u6f22` },
    ]),
  );
}

/** An outline whose last entry goes on with the first, and whose first entry is its own child. Row 5. */
export async function makeLoopedOutline(): Promise<Uint8Array> {
  const items = [
    { title: 'one', to: { page: 0 }, items: [{ title: 'child', to: { page: 1 } }] },
    { title: 'two', to: { page: 1 } },
  ];
  return makeDocument('loop', 2, addOutline(items), (document) => {
    const outline = entryAt(document.catalog, 'Outlines');
    const [first, last] = [entryAt(outline, 'First'), entryAt(outline, 'Last')];
    const ref = outline.get(PDFName.of('First'));
    if (!(ref instanceof PDFRef)) throw new Error('The outline has no entries.');
    last.set(PDFName.of('Next'), ref);
    entryAt(first, 'First').set(PDFName.of('First'), ref);
  });
}

function entryAt(dict: PDFDict, key: string): PDFDict {
  return dict.lookup(PDFName.of(key), PDFDict);
}

type Kids = Readonly<Record<string, PDFRef | number>>;

function placeItems(document: PDFDocument, parent: PDFRef, items: readonly OutlineItem[]): Kids {
  const { context } = document;
  const refs = items.map(() => context.nextRef());
  for (const [index, item] of items.entries()) {
    const ref = refs[index];
    if (ref !== undefined)
      context.assign(ref, itemDict(document, item, { parent, ref, before: refs[index - 1], after: refs[index + 1] }));
  }
  const [first, last] = [refs[0], refs.at(-1)];
  return first === undefined || last === undefined ? {} : { First: first, Last: last, Count: visibleItems(items) };
}

interface Place {
  readonly parent: PDFRef;
  readonly ref: PDFRef;
  readonly before: PDFRef | undefined;
  readonly after: PDFRef | undefined;
}

function itemDict(document: PDFDocument, item: OutlineItem, { parent, ref, before, after }: Place): PDFDict {
  const { Count, ...kids } = placeItems(document, ref, item.items ?? []);
  return document.context.obj({
    Title: titleOf(item.title),
    Parent: parent,
    ...(before === undefined ? {} : { Prev: before }),
    ...(after === undefined ? {} : { Next: after }),
    ...kids,
    ...(typeof Count === 'number' ? { Count: item.isClosed === true ? -Count : Count } : {}),
    ...(item.to === undefined ? {} : targetEntries(document, item.to)),
  });
}

function visibleItems(items: readonly OutlineItem[]): number {
  return items.reduce(
    (sum, { items: below = [], isClosed }) => sum + 1 + (isClosed === true ? 0 : visibleItems(below)),
    0,
  );
}

function titleOf(title: string): PDFString | PDFHexString {
  return /^[ -~]*$/.test(title) ? PDFString.of(title) : PDFHexString.fromText(title);
}
