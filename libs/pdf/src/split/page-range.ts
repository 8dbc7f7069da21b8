/** A page counted from the front (1 is the first) or, when negative, from the back (-1 is the last). Never 0. */
export type PageNumber = number;

/** Pages `first` to `last`, both included; `last: null` is open, to the end of the document. */
export interface PageRange {
  readonly first: PageNumber;
  readonly last: PageNumber | null;
}

/** The same in a document that is known: 1-based, both included, `first <= last`. */
export interface ResolvedRange {
  readonly first: number;
  readonly last: number;
}

const rangePattern = /^(-?[1-9]\d{0,8})(-(-?[1-9]\d{0,8})?)?$/;

/**
 * Reads `3`, `1-3`, `4-` (to the end), `-1` (the last page), `-3--1` (the last three) or `2--1`. `null` for anything else,
 * and for a range that runs backwards in every document.
 */
export function parsePageRange(text: string): PageRange | null {
  const match = rangePattern.exec(text);
  if (match === null) return null;
  const first = Number(match[1]);
  if (match[2] === undefined) return { first, last: first };
  if (match[3] === undefined) return { first, last: null };
  const last = Number(match[3]);
  const runsBackwards = Math.sign(first) === Math.sign(last) && first > last;
  return runsBackwards ? null : { first, last };
}

/** The pages a range means in a document of so many pages; `null` when it leaves the document or runs backwards in it. */
export function resolvePageRange(range: PageRange, pageCount: number): ResolvedRange | null {
  const first = fromFront(range.first, pageCount);
  const last = range.last === null ? pageCount : fromFront(range.last, pageCount);
  return first >= 1 && first <= last && last <= pageCount ? { first, last } : null;
}

function fromFront(page: PageNumber, pageCount: number): number {
  return page > 0 ? page : pageCount + 1 + page;
}
