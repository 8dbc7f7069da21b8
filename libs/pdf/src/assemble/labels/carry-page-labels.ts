import type { PDFContext, PDFDict, PDFDocument } from 'pdf-lib';
import { PDFName, PDFNumber } from 'pdf-lib';
import { writeNumberTree } from '../../document/trees/write-number-tree.js';
import type { Carrier } from '../carrier.js';
import { continues, decimal, type PageLabel } from './page-label.js';
import { readPageLabels } from './read-page-labels.js';

/**
 * Keeps the label of each page. Pages of a source without labels are numbered from 1 in the order in which they are taken; when no source has any, neither
 * has the new document.
 */
export function carryPageLabels({ catalog, context }: PDFDocument): Carrier {
  const labels: PageLabel[] = [];
  let hasLabels = false;
  let firstNumber = 0;
  return {
    add: ({ source, pages, repeat }) => {
      const own = readPageLabels(source);
      hasLabels ||= own !== null;
      if (repeat === 0) firstNumber = pages[0]?.number ?? firstNumber;
      for (const { index, number } of pages) labels[number] = own?.[index] ?? decimal(number - firstNumber + 1);
    },
    finish: () => {
      if (hasLabels) catalog.set(PDFName.of('PageLabels'), writeNumberTree(context, rangesOf(labels, context)));
      return [];
    },
  };
}

function rangesOf(labels: readonly PageLabel[], context: PDFContext): [page: number, range: PDFDict][] {
  return labels.flatMap((label, page) => {
    const before = labels[page - 1];
    return before !== undefined && continues(label, before) ? [] : [[page, rangeFrom(label, context.obj({}))]];
  });
}

function rangeFrom({ style, prefix, number }: PageLabel, range: PDFDict): PDFDict {
  if (style !== null) range.set(PDFName.of('S'), PDFName.of(style));
  if (prefix !== null) range.set(PDFName.of('P'), prefix);
  if (style !== null && number !== 1) range.set(PDFName.of('St'), PDFNumber.of(number));
  return range;
}
