import type { PDFObject } from 'pdf-lib';
import { PDFArray, PDFNumber } from 'pdf-lib';

/** The first numbers of an array; `null` if it has not so many, or is none. */
export function readNumbers(value: PDFObject | undefined, count: number): number[] | null {
  if (!(value instanceof PDFArray) || value.size() < count) return null;
  const values = Array.from({ length: count }, (_, at) => value.lookup(at));
  const numbers = values.filter((each) => each instanceof PDFNumber).map((each) => each.asNumber());
  return numbers.length === count ? numbers : null;
}
