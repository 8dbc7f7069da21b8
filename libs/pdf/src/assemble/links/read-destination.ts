import type { PDFObject } from 'pdf-lib';
import { PDFArray, PDFDict, PDFName, PDFNull, PDFNumber, PDFRef } from 'pdf-lib';
import { entryAt } from '../../document/objects/read-entry.js';
import type { Source } from '../../document/open/source.js';
import { oncePer } from '../once-per.js';

/** Where in a document something leads (ISO 32000-1, 12.3.2.2). */
export interface Destination {
  /** The 0-based page. */
  readonly page: number;
  /** Its page, then how that is shown. Refers to nothing else. */
  readonly array: PDFArray;
}

/** The longest, /FitR, has its page, a name and four numbers. */
const mostItems = 6;

const pageNumbers = oncePer(
  ({ pages }: Source): ReadonlyMap<PDFRef, number> => new Map(pages.map(({ ref }, index) => [ref, index])),
);

/** Reads an explicit destination, or a dictionary with one. `null` for anything else, and where it leads to no page of its document. */
export function readDestination(source: Source, value: PDFObject | undefined): Destination | null {
  const { context } = source.document;
  const found = context.lookup(value);
  const array = found instanceof PDFDict ? context.lookup(entryAt(found, 'D')) : found;
  if (!(array instanceof PDFArray) || array.size() === 0) return null;
  const page = pageOf(source, array.get(0));
  const ref = page === undefined ? undefined : source.pages[page]?.ref;
  if (page === undefined || ref === undefined) return null;
  const view = Array.from({ length: Math.min(array.size(), mostItems) - 1 }, (_, at) => array.lookup(at + 1)).map(
    (item) => (item instanceof PDFName || item instanceof PDFNumber ? item : PDFNull),
  );
  return { page, array: context.obj([ref, ...view]) };
}

/** Some programs number the page instead of referring to it, as is right for destinations in other files. */
function pageOf(source: Source, target: PDFObject): number | undefined {
  if (target instanceof PDFRef) return pageNumbers(source).get(target);
  return target instanceof PDFNumber ? target.asNumber() : undefined;
}
