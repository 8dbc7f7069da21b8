import type { PDFDocument, PDFObject } from 'pdf-lib';
import { PDFArray, PDFDict, PDFName, PDFRef } from 'pdf-lib';

/** The entries that a page takes from the nodes above it where it has none of its own (ISO 32000-1, table 30). */
export const inheritableKeys = ['Resources', 'MediaBox', 'CropBox', 'Rotate'].map((key) => PDFName.of(key));

/** A page of an opened document. */
export interface SourcePage {
  readonly ref: PDFRef;
  readonly node: PDFDict;
  /** The inheritable entries as they apply to the page, its own and those from above. */
  readonly inheritable: ReadonlyMap<PDFName, PDFObject>;
}

/** The pages of a document in their order. `isSound` is false when the tree had nodes that are none, or that occur twice; they are left out. */
export interface PageList {
  readonly pages: readonly SourcePage[];
  readonly isSound: boolean;
}

interface Node {
  readonly ref: PDFRef;
  readonly above: ReadonlyMap<PDFName, PDFObject>;
}

const kidsKey = PDFName.of('Kids');

/** Walks the page tree, each node once, whatever shape it has. Stops at one page more than `mostPages`. */
export function listPages({ catalog, context }: PDFDocument, mostPages: number): PageList {
  const root = catalog.get(PDFName.of('Pages'));
  const pages: SourcePage[] = [];
  const seen = new Set<PDFObject>();
  const waiting: Node[] = root instanceof PDFRef ? [{ ref: root, above: new Map() }] : [];
  let isSound = waiting.length > 0;
  for (let next = waiting.pop(); next !== undefined && pages.length <= mostPages; next = waiting.pop()) {
    const { ref, above } = next;
    const node = context.lookup(ref);
    if (!(node instanceof PDFDict) || seen.has(ref)) {
      isSound = false;
      continue;
    }
    seen.add(ref);
    const inheritable = withOwn(node, above);
    const kids = kidsOf(node);
    if (kids === null) pages.push({ ref, node, inheritable });
    else {
      isSound &&= kids.isSound;
      for (const kid of kids.refs.reverse()) waiting.push({ ref: kid, above: inheritable });
    }
  }
  return { pages, isSound };
}

function withOwn(node: PDFDict, above: ReadonlyMap<PDFName, PDFObject>): ReadonlyMap<PDFName, PDFObject> {
  const own = inheritableKeys.flatMap((key) => {
    const value = node.get(key);
    return value === undefined ? [] : [[key, value] as const];
  });
  return own.length === 0 ? above : new Map([...above, ...own]);
}

/** `null` for a page, which has none. */
function kidsOf(node: PDFDict): { refs: PDFRef[]; isSound: boolean } | null {
  if (!node.has(kidsKey)) return null;
  const kids = node.lookup(kidsKey);
  if (!(kids instanceof PDFArray)) return { refs: [], isSound: false };
  const refs = kids.asArray().filter((kid) => kid instanceof PDFRef);
  return { refs, isSound: refs.length === kids.size() };
}
