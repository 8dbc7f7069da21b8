import type { PDFContext, PDFDict, PDFRef } from 'pdf-lib';
import { PDFName, PDFNumber } from 'pdf-lib';
import type { Bookmark } from './bookmark.js';

interface Level {
  readonly parent: { readonly ref: PDFRef; readonly dict: PDFDict; readonly isOpen: boolean };
  readonly children: readonly Bookmark[];
}

/** Registers an outline of these topmost bookmarks: links each to its neighbours, and counts what is shown of those below it. */
export function writeOutline(context: PDFContext, top: readonly Bookmark[]): PDFRef {
  const dict = context.obj({ Type: 'Outlines' });
  const root = { ref: context.register(dict), dict, isOpen: true };
  const levels: Level[] = [{ parent: root, children: top }];
  for (const level of levels) {
    linkLevel(level);
    for (const child of level.children)
      if (child.children.length > 0) levels.push({ parent: child, children: child.children });
  }
  countShown(levels);
  return root.ref;
}

function linkLevel({ parent, children }: Level): void {
  setRef(parent.dict, 'First', children[0]);
  setRef(parent.dict, 'Last', children.at(-1));
  for (const [at, { dict }] of children.entries()) {
    dict.set(PDFName.of('Parent'), parent.ref);
    setRef(dict, 'Prev', children[at - 1]);
    setRef(dict, 'Next', children[at + 1]);
  }
}

function setRef(dict: PDFDict, key: string, bookmark: Bookmark | undefined): void {
  if (bookmark !== undefined) dict.set(PDFName.of(key), bookmark.ref);
}

/** The count of a closed item is negative, and tells how many would be shown if it were opened. The levels are in the order of their depth. */
function countShown(levels: readonly Level[]): void {
  const shownBelow = new Map<PDFDict, number>();
  for (const { parent, children } of levels.toReversed()) {
    const shown = children.reduce((sum, { dict, isOpen }) => sum + 1 + (isOpen ? (shownBelow.get(dict) ?? 0) : 0), 0);
    shownBelow.set(parent.dict, shown);
    parent.dict.set(PDFName.of('Count'), PDFNumber.of(parent.isOpen ? shown : -shown));
  }
}
