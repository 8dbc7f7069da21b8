import type { PDFDict, PDFObject } from 'pdf-lib';
import { PDFNumber } from 'pdf-lib';
import { pairsInTree } from './pairs-in-tree.js';

/** The entries of all leaves of a number tree, by their numbers; of a repeated number the first counts. */
export function readNumberTree(root: PDFDict | undefined): Map<number, PDFObject> {
  const entries = new Map<number, PDFObject>();
  for (const [key, value] of pairsInTree(root, 'Nums')) {
    const number = key instanceof PDFNumber ? key.asNumber() : null;
    if (number !== null && !entries.has(number)) entries.set(number, value);
  }
  return entries;
}
