import { DocumentFailed, noPagesLeft, tooManyPages } from '../document/failure/document-failure.js';
import { selectPages } from '../selection/select-pages.js';
import type { PagesOptions } from './pages.js';

/** The 0-based pages of a document that the new one has. @throws DocumentFailed when there is none, when they are too many, or when the options name one that is not there */
export function choosePages(options: PagesOptions, pageCount: number, maxPages: number): number[] {
  const all = selectPages(null, 0, pageCount);
  const deleted = new Set(options.delete === undefined ? [] : selectPages(options.delete, 0, pageCount));
  const kept =
    options.keep === undefined ? all.filter((page) => !deleted.has(page)) : selectPages(options.keep, 0, pageCount);
  if (kept.length === 0) throw new DocumentFailed(noPagesLeft(0));
  if (kept.length > maxPages) throw new DocumentFailed(tooManyPages(0, kept.length, maxPages));
  return kept;
}
