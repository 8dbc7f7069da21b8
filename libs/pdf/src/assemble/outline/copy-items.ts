import type { PDFContext, PDFDict, PDFObject } from 'pdf-lib';
import { PDFName, PDFNull, PDFNumber, PDFString } from 'pdf-lib';
import { arrayAt, dictAt, entryAt, isText, numberAt } from '../../document/objects/read-entry.js';
import type { Excerpt } from '../excerpt.js';
import { isTaken } from '../is-taken.js';
import type { Destination } from '../links/read-destination.js';
import type { Bookmark } from './bookmark.js';
import { chooseItems } from './choose-items.js';
import { listOutline, type OutlineItem } from './list-outline.js';

interface GrowingBookmark extends Bookmark {
  readonly children: Bookmark[];
}

/** Copies the items of its source's outline that go with an excerpt, and returns the topmost of them. */
export function copyItems(excerpt: Excerpt, context: PDFContext): Bookmark[] {
  const outline = listOutline(excerpt.source);
  const chosen = chooseItems(outline, excerpt);
  const targets = targetsOf(excerpt, outline.items, chosen);
  const copied = new Map<number, GrowingBookmark>();
  const top: Bookmark[] = [];
  for (const at of chosen) {
    const item = outline.items[at];
    if (item === undefined) continue;
    const dict = copyItem(excerpt, item, { copy: context.obj({}), target: targets.get(at) });
    const bookmark = { ref: context.register(dict), dict, isOpen: isOpen(item), children: [] };
    copied.set(at, bookmark);
    const siblings = item.parent === null ? top : copied.get(item.parent)?.children;
    siblings?.push(bookmark);
  }
  return top;
}

/** Where items lead. One whose page was not taken is there for those below it, and leads to the first of their pages. */
function targetsOf(
  excerpt: Excerpt,
  items: readonly OutlineItem[],
  chosen: readonly number[],
): ReadonlyMap<number, Destination> {
  const targets = new Map<number, Destination>();
  let below: Destination | undefined;
  for (const at of chosen.toReversed()) {
    const own = items[at]?.target ?? null;
    if (own === null) continue;
    if (isTaken(excerpt, own.page)) below = own;
    if (below !== undefined) targets.set(at, below);
  }
  return targets;
}

function copyItem(
  excerpt: Excerpt,
  { dict }: OutlineItem,
  { copy, target }: { readonly copy: PDFDict; readonly target: Destination | undefined },
): PDFDict {
  const title = dict.lookup(PDFName.of('Title'));
  copy.set(PDFName.of('Title'), isText(title) ? title : PDFString.of(''));
  copyStyle(dict, copy);
  const action = copyAction(excerpt, dict);
  if (action !== PDFNull) copy.set(PDFName.of('A'), action);
  else if (target !== undefined) copy.set(PDFName.of('Dest'), excerpt.copier.copy(target.array));
  return copy;
}

/** The colour, three numbers, and the flags for bold and italic. */
function copyStyle(from: PDFDict, to: PDFDict): void {
  const colour = arrayAt(from, 'C');
  const parts = colour?.size() === 3 ? [0, 1, 2].map((at) => colour.lookup(at)) : [];
  if (parts.length > 0 && parts.every((part) => part instanceof PDFNumber))
    to.set(PDFName.of('C'), to.context.obj(parts));
  const flags = numberAt(from, 'F');
  if (flags !== undefined) to.set(PDFName.of('F'), PDFNumber.of(flags));
}

/** The action of an item, with what follows it. An item with a destination has none (ISO 32000-1, table 153). */
function copyAction({ copier }: Excerpt, item: PDFDict): PDFObject {
  const action = entryAt(item, 'A');
  const isAction = entryAt(item, 'Dest') === undefined && dictAt(item, 'A') !== undefined;
  return action !== undefined && isAction ? copier.copy(action) : PDFNull;
}

function isOpen({ dict }: OutlineItem): boolean {
  return (numberAt(dict, 'Count') ?? 0) > 0;
}
