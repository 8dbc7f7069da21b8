import { PDFName, PDFString } from 'pdf-lib';
import { type Addition, makeDocument } from './make-document.js';

/** How pages are numbered from one on (0-based). */
export interface LabelRange {
  readonly from: number;
  /** Decimal, roman or letters, small or large; `null` for the prefix alone. */
  readonly style: 'D' | 'r' | 'R' | 'a' | 'A' | null;
  readonly prefix?: string;
  /** The number of the first page; 1 without. */
  readonly start?: number;
}

/** Labels for the pages of a document. */
export function addLabels(ranges: readonly LabelRange[]): Addition {
  return ({ context, catalog }) => {
    const numbers = ranges.flatMap(({ from, style, prefix, start }) => [
      from,
      context.obj({
        ...(style === null ? {} : { S: style }),
        ...(prefix === undefined ? {} : { P: PDFString.of(prefix) }),
        ...(start === undefined ? {} : { St: start }),
      }),
    ]);
    catalog.set(PDFName.of('PageLabels'), context.register(context.obj({ Nums: numbers })));
  };
}

/** Five pages that a reader calls i, ii, A-7, A-8 and Cover. Page labels are one of the six things that a merge should keep. */
export async function makeLabelledPages(name: string): Promise<Uint8Array> {
  return makeDocument(
    name,
    5,
    addLabels([
      { from: 0, style: 'r' },
      { from: 2, style: 'D', prefix: 'A-', start: 7 },
      { from: 4, style: null, prefix: 'Cover' },
    ]),
  );
}
