import { extractPages } from '../assemble/extract-pages.js';
import type { Source } from '../document/open/source.js';
import { serialiseDocument } from '../document/write/serialise-document.js';
import { pagesBetween, type Part, partBetween } from './part.js';

/** Parts of as many pages as make a document of at most `maxBytes`; a page that is larger alone is a part with a warning. */
export async function* partsBySize(source: Source, maxBytes: number): AsyncGenerator<Part> {
  const pageCount = source.pages.length;
  for (let start = 0, guess = 1; start < pageCount;) {
    const most = pageCount - start;
    const fitting = await mostThatFit(
      (count) => fits(source, pagesBetween(start, start + count), maxBytes),
      guess,
      most,
    );
    guess = Math.max(fitting, 1);
    yield partBetween(start, start + guess, fitting === 0 ? { warning: 'part_oversize' } : {});
    start += guess;
  }
}

/** Whether these pages, as they would be written, are small enough. */
async function fits(source: Source, pages: readonly number[], maxBytes: number): Promise<boolean> {
  const { document } = await extractPages(source, pages, { isPart: true });
  return (await serialiseDocument(document, source.input)).length <= maxBytes;
}

/** The largest number up to `most` that fits, with 0 if 1 does not: doubles from a guess on, then halves what is left. */
async function mostThatFit(doesFit: (count: number) => Promise<boolean>, guess: number, most: number): Promise<number> {
  let [fitting, beyond] = [0, most + 1];
  let next = Math.min(guess, most);
  while (beyond - fitting > 1) {
    if (await doesFit(next)) fitting = next;
    else beyond = next;
    next = beyond > most ? Math.min(next * 2, most) : Math.floor((fitting + beyond) / 2);
  }
  return fitting;
}
