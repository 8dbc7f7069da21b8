import type { PDFDict } from 'pdf-lib';
import { dictAt } from '../../document/objects/read-entry.js';
import type { Source } from '../../document/open/source.js';
import { findTarget } from '../links/find-destination.js';
import type { Destination } from '../links/read-destination.js';
import { oncePer } from '../once-per.js';

/** Deeper or longer outlines are cut. */
const mostLevels = 100;
const mostItems = 100_000;

/** One item of an outline. */
export interface OutlineItem {
  readonly dict: PDFDict;
  /** The item above it, by its place in the list; `null` at the top. */
  readonly parent: number | null;
  /** Where in its document it leads; `null` for a heading, another action, or a page that is not there. */
  readonly target: Destination | null;
}

/** The outline of a document. */
export interface Outline {
  /** Each item is followed by those below it. */
  readonly items: readonly OutlineItem[];
  /** The items, by their places in the list, that lead to a page. */
  readonly byPage: ReadonlyMap<number, readonly number[]>;
  /** Whether there was more, or something that led back into it. */
  readonly isCut: boolean;
}

interface Place {
  readonly dict: PDFDict;
  readonly parent: number | null;
  readonly level: number;
}

/** Lists the outline of a source, once for each, by a walk that meets each item once, whatever its links say. */
export const listOutline = oncePer((source: Source): Outline => {
  const items: OutlineItem[] = [];
  const seen = new Set<PDFDict>();
  let isCut = false;
  const waiting = placesAt(dictAt(dictAt(source.document.catalog, 'Outlines'), 'First'), null, 1);
  for (let place = waiting.pop(); place !== undefined; place = waiting.pop()) {
    const { dict, parent, level } = place;
    if (seen.has(dict) || level > mostLevels || items.length === mostItems) {
      isCut = true;
      continue;
    }
    seen.add(dict);
    waiting.push(...placesAt(dictAt(dict, 'Next'), parent, level));
    waiting.push(...placesAt(dictAt(dict, 'First'), items.length, level + 1));
    items.push({ dict, parent, target: findTarget(source, dict)?.destination ?? null });
  }
  return { items, byPage: byPage(items), isCut };
});

function placesAt(dict: PDFDict | undefined, parent: number | null, level: number): Place[] {
  return dict === undefined ? [] : [{ dict, parent, level }];
}

function byPage(items: readonly OutlineItem[]): ReadonlyMap<number, readonly number[]> {
  const pages = new Map<number, number[]>();
  for (const [at, { target }] of items.entries()) {
    if (target === null) continue;
    const others = pages.get(target.page);
    if (others === undefined) pages.set(target.page, [at]);
    else others.push(at);
  }
  return pages;
}
