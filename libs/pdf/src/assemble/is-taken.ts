import type { Excerpt } from './excerpt.js';

/** Whether a page (0-based) of the source has a place in the new document that references to it lead to. */
export function isTaken({ source, copier }: Excerpt, page: number): boolean {
  const ref = source.pages[page]?.ref;
  return ref !== undefined && copier.copyOf(ref) !== undefined;
}
