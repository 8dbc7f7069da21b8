import type { ResolvedRange } from './page-range.js';

const longestStem = 100;
/** Path separators, characters that file systems refuse, control characters and marks that turn the reading direction. */
const unsafe = /[\u0000-\u001f\u007f-\u009f<>:"/\\|?*\u200e\u200f\u202a-\u202e\u2066-\u2069]/gu;

/**
 * The names of the parts of a document: the source's name without `.pdf`, then the page or the pages, with zeros in front so
 * that the names sort like the pages. A part that repeats a name gets `_2`, `_3` and so on.
 */
export function partNames(sourceName: string, parts: readonly ResolvedRange[], pageCount: number): string[] {
  const stem = stemOf(sourceName);
  const digits = String(pageCount).length;
  const seen = new Map<string, number>();
  return parts.map((part) => {
    const name = `${stem}-${pagesOf(part, digits)}`;
    const times = (seen.get(name) ?? 0) + 1;
    seen.set(name, times);
    return times === 1 ? `${name}.pdf` : `${name}_${times}.pdf`;
  });
}

function pagesOf({ first, last }: ResolvedRange, digits: number): string {
  const pages = first === last ? [first] : [first, last];
  return pages.map((page) => String(page).padStart(digits, '0')).join('-');
}

/** The last segment of the name without `.pdf` and without anything that a file name cannot have; `document` if nothing is left. */
function stemOf(sourceName: string): string {
  const lastSegment = sourceName.toWellFormed().normalize().split(/[/\\]/).at(-1) ?? '';
  const safe = lastSegment.replace(unsafe, '').replace(/\.pdf$/i, '');
  const stem = [...safe]
    .slice(0, longestStem)
    .join('')
    .replace(/^[\s.]+|[\s.]+$/g, '');
  return stem === '' ? 'document' : stem;
}
