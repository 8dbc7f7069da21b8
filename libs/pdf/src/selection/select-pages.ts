import { DocumentFailed, pageOutOfRange } from '../document/failure/document-failure.js';
import { parsePageSelection, resolvePageSelection } from './page-selection.js';

/** The 0-based pages of an input that a selection names; all of them for `null`. @throws DocumentFailed when the input does not have one of them */
export function selectPages(selection: string | null, input: number, pageCount: number): number[] {
  if (selection === null) return Array.from({ length: pageCount }, (_, page) => page);
  const parsed = parsePageSelection(selection);
  const pages = parsed === null ? null : resolvePageSelection(parsed, pageCount);
  if (pages === null) throw new DocumentFailed(pageOutOfRange(selection, input, pageCount));
  return pages;
}
