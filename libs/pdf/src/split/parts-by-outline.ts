import { listOutline } from '../assemble/outline/list-outline.js';
import { textAt } from '../document/objects/read-entry.js';
import type { Source } from '../document/open/source.js';
import { type Part, partBetween } from './part.js';

/** Where a chapter begins. */
interface Start {
  readonly page: number;
  readonly title: string | null;
}

/**
 * A part for each item at the top of the outline that leads to a page, up to where the next one leads, in the order of the pages. Of items that lead to
 * the same page the first one counts. Pages before the first make a part of their own; without any item all do, with a warning.
 */
export function partsByOutline(source: Source): Part[] {
  const starts = startsIn(source);
  const pageCount = source.pages.length;
  if (starts.length === 0) return [partBetween(0, pageCount, { warning: 'no_outline' })];
  const [first] = starts;
  const chapters = first?.page === 0 ? starts : [{ page: 0, title: null }, ...starts];
  return chapters.map(({ page, title }, at) => partBetween(page, chapters[at + 1]?.page ?? pageCount, { title }));
}

function startsIn(source: Source): Start[] {
  const titles = new Map<number, string | null>();
  for (const { parent, target, dict } of listOutline(source).items) {
    if (parent !== null || target === null || titles.has(target.page)) continue;
    titles.set(target.page, textAt(dict, 'Title') ?? null);
  }
  return [...titles].map(([page, title]) => ({ page, title })).sort((one, other) => one.page - other.page);
}
