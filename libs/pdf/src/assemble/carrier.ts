import type { DocumentWarning } from '../document/failure/document-warnings.js';
import type { Excerpt } from './excerpt.js';

/** Carries one thing that documents have besides their pages into a new document. */
export interface Carrier {
  /** Before the pages of an excerpt are copied: tells its copier what is left out or changed. */
  prepare?(excerpt: Excerpt): void;
  /** After the pages of an excerpt are copied: copies what belongs to them. */
  add(excerpt: Excerpt): void;
  /** After the last excerpt: writes what was gathered into the catalog. Returns what could not be kept. */
  finish(): readonly DocumentWarning[];
}
