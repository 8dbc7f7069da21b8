import { PDFDict, type PDFDocument, PDFNumber } from 'pdf-lib';
import { dictAt, nameAt, numberAt, textAt, treeEntries } from './objects.js';

const romanDigits = [
  ['m', 1000],
  ['cm', 900],
  ['d', 500],
  ['cd', 400],
  ['c', 100],
  ['xc', 90],
  ['l', 50],
  ['xl', 40],
  ['x', 10],
  ['ix', 9],
  ['v', 5],
  ['iv', 4],
  ['i', 1],
] as const;

/** ISO 32000-1, table 159: the numbering styles. */
const styles: Readonly<Record<string, (number: number) => string>> = {
  D: String,
  r: roman,
  R: (number) => roman(number).toUpperCase(),
  a: letters,
  A: (number) => letters(number).toUpperCase(),
};

/** The label that a reader shows for each page; `null` if the document has no labels. */
export function describeLabels(document: PDFDocument): string[] | null {
  const root = dictAt(document.catalog, 'PageLabels');
  if (root === undefined) return null;
  const ranges = [...treeEntries(root, 'Nums')].map(({ key, value }) => ({
    first: key instanceof PDFNumber ? key.asNumber() : -1,
    style: document.context.lookup(value),
  }));
  return document.getPages().map((_, page) => {
    const range = ranges.findLast(({ first }) => first <= page);
    if (range === undefined || !(range.style instanceof PDFDict)) return String(page + 1);
    return labelOf(range.style, page - range.first);
  });
}

function labelOf(style: PDFDict, offset: number): string {
  const numbering = styles[nameAt(style, 'S') ?? ''];
  const number = (numberAt(style, 'St') ?? 1) + offset;
  return (textAt(style, 'P') ?? '') + (numbering?.(number) ?? '');
}

function roman(number: number): string {
  let rest = number;
  let text = '';
  for (const [digit, worth] of romanDigits) for (; rest >= worth; rest -= worth) text += digit;
  return text;
}

/** a to z, then aa to zz, and so on. */
function letters(number: number): string {
  const letter = String.fromCharCode('a'.charCodeAt(0) + ((number - 1) % 26));
  return letter.repeat(Math.ceil(number / 26));
}
