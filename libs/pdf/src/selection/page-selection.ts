/** A page counted from the front (1 is the first) or, when negative, from the back (-1 is the last). Never 0. */
type PageNumber = number;

/** Pages `first` to `last`, both included; `last: null` is open, to the end of the document. */
interface PageRange {
  readonly first: PageNumber;
  readonly last: PageNumber | null;
}

/** Pages in the order in which they were named. */
export type PageSelection = readonly PageRange[];

/** A request that names more ranges is refused rather than tried. */
export const mostRanges = 1_000;

const rangePattern = /^(-?[1-9]\d{0,8})(-(-?[1-9]\d{0,8})?)?$/;

/**
 * Reads ranges with commas between them: `3`, `1-3`, `4-` (to the end), `-1` (the last page), `-3--1` (the last three), `2--1`. A range that runs
 * backwards, such as `3-1` or `-1-1`, takes its pages in that order; a page may be named more than once. `null` for anything else.
 */
export function parsePageSelection(text: string): PageSelection | null {
  const ranges = text.split(',', mostRanges + 1).map((range) => parseRange(range.trim()));
  return ranges.length <= mostRanges && ranges.every((range) => range !== null) ? ranges : null;
}

/** The 0-based pages that a selection means in a document of so many pages; `null` when it names one that the document does not have. */
export function resolvePageSelection(selection: PageSelection, pageCount: number): number[] | null {
  const pages: number[] = [];
  for (const range of selection) {
    const first = fromFront(range.first, pageCount);
    const last = range.last === null ? pageCount : fromFront(range.last, pageCount);
    if (!isWithin(first, pageCount) || !isWithin(last, pageCount) || (range.last === null && first > last)) return null;
    const step = first <= last ? 1 : -1;
    for (let page = first; page !== last + step; page += step) pages.push(page - 1);
  }
  return pages;
}

function parseRange(text: string): PageRange | null {
  const match = rangePattern.exec(text);
  if (match === null) return null;
  const first = Number(match[1]);
  if (match[2] === undefined) return { first, last: first };
  return { first, last: match[3] === undefined ? null : Number(match[3]) };
}

function fromFront(page: PageNumber, pageCount: number): number {
  return page > 0 ? page : pageCount + 1 + page;
}

function isWithin(page: number, pageCount: number): boolean {
  return page >= 1 && page <= pageCount;
}
