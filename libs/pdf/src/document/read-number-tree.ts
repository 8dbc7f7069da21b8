import type { PDFObject } from 'pdf-lib';
import { PDFDict, PDFNumber } from 'pdf-lib';
import { arrayAt } from './read-entry.js';

/** The entries of all leaves of a number tree (ISO 32000-1, 7.9.7), by their numbers. Each node is read once, whatever shape the tree has; of a repeated number the first counts. */
export function readNumberTree(root: PDFDict | undefined): Map<number, PDFObject> {
  const entries = new Map<number, PDFObject>();
  const seen = new Set<PDFDict>();
  const waiting = root === undefined ? [] : [root];
  for (let node = waiting.pop(); node !== undefined; node = waiting.pop()) {
    if (seen.has(node)) continue;
    seen.add(node);
    for (const [number, value] of entriesOf(node)) if (!entries.has(number)) entries.set(number, value);
    for (const kid of kidsOf(node).reverse()) waiting.push(kid);
  }
  return entries;
}

function entriesOf(node: PDFDict): (readonly [number, PDFObject])[] {
  const pairs = arrayAt(node, 'Nums')?.asArray() ?? [];
  return pairs.flatMap((item, at) => {
    const number = at % 2 === 0 ? node.context.lookup(item) : undefined;
    const value = pairs[at + 1];
    return number instanceof PDFNumber && value !== undefined ? [[number.asNumber(), value] as const] : [];
  });
}

function kidsOf(node: PDFDict): PDFDict[] {
  const kids = arrayAt(node, 'Kids')?.asArray() ?? [];
  return kids.map((kid) => node.context.lookup(kid)).filter((kid) => kid instanceof PDFDict);
}
