import type { PDFHexString, PDFString } from 'pdf-lib';

/** The numbering styles of page labels (ISO 32000-1, table 159). */
export const labelStyles = ['D', 'R', 'r', 'A', 'a'] as const;
export type LabelStyle = (typeof labelStyles)[number];

/** What a reader shows as the number of a page: a prefix and a number in a style. */
export interface PageLabel {
  /** `null`: the prefix alone. */
  readonly style: LabelStyle | null;
  readonly prefix: PDFString | PDFHexString | null;
  readonly number: number;
}

/** The label of a page in a document without labels. */
export function decimal(number: number): PageLabel {
  return { style: 'D', prefix: null, number };
}

/** Whether a label is what follows another in one range. */
export function continues(label: PageLabel, before: PageLabel): boolean {
  if (label.style !== before.style || bytesOf(label.prefix) !== bytesOf(before.prefix)) return false;
  return label.style === null || label.number === before.number + 1;
}

function bytesOf(text: PageLabel['prefix']): string {
  return Buffer.from(text?.asBytes() ?? []).toString('latin1');
}
