import type { PDFObject } from 'pdf-lib';
import { PDFDict, PDFName } from 'pdf-lib';
import { dictAt, isText, nameAt, numberAt } from '../../document/objects/read-entry.js';
import type { Source } from '../../document/open/source.js';
import { readNumberTree } from '../../document/trees/read-number-tree.js';
import { oncePer } from '../once-per.js';
import { decimal, labelStyles, type PageLabel } from './page-label.js';

/** The labels of all pages of a source, read once for each; `null` when it has none. */
export const readPageLabels = oncePer(({ document, pages }: Source): readonly PageLabel[] | null => {
  const ranges = readNumberTree(dictAt(document.catalog, 'PageLabels'));
  if (ranges.size === 0) return null;
  const starts = new Map([...ranges].map(([page, range]) => [page, firstLabel(document.context.lookup(range))]));
  let label = decimal(0);
  return pages.map((_, page) => {
    label = starts.get(page) ?? { ...label, number: label.number + 1 };
    return label;
  });
});

function firstLabel(range: PDFObject | undefined): PageLabel {
  if (!(range instanceof PDFDict)) return decimal(1);
  const prefix = range.lookup(PDFName.of('P'));
  const start = numberAt(range, 'St') ?? 1;
  return {
    style: labelStyles.find((style) => style === nameAt(range, 'S')) ?? null,
    prefix: isText(prefix) ? prefix : null,
    number: Number.isSafeInteger(start) && start >= 1 ? start : 1,
  };
}
