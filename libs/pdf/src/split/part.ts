import type { DocumentWarning } from '../document/failure/document-warnings.js';

/** What a part of a document is to have. */
export interface Part {
  /** 0-based, in their order. */
  readonly pages: readonly number[];
  /** The chapter that it is, if it is one. */
  readonly title: string | null;
  /** What is to be said of it. */
  readonly warning: DocumentWarning | null;
}

/** A part of the pages from one (0-based) to before another. */
export function partBetween(start: number, end: number, more: Partial<Part> = {}): Part {
  return { pages: pagesBetween(start, end), title: null, warning: null, ...more };
}

/** The 0-based pages from one to before another. */
export function pagesBetween(start: number, end: number): number[] {
  return Array.from({ length: end - start }, (_, index) => start + index);
}
