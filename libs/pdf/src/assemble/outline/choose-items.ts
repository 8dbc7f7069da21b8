import type { Excerpt } from '../excerpt.js';
import type { Outline } from './list-outline.js';

/**
 * The items, by their places in the list and in its order, that go with an excerpt: all of them with a whole source, else those that lead to pages
 * of the excerpt, with all that are above them.
 */
export function chooseItems({ items, byPage }: Outline, { pages, isWhole }: Excerpt): number[] {
  if (isWhole) return [...items.keys()];
  const chosen = new Set<number>();
  for (const { index } of pages) {
    for (const item of byPage.get(index) ?? []) {
      for (let at: number | null = item; at !== null && !chosen.has(at); at = items[at]?.parent ?? null) chosen.add(at);
    }
  }
  return [...chosen].sort((one, other) => one - other);
}
