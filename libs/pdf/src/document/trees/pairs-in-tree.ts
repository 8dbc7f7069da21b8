import type { PDFArray, PDFObject } from 'pdf-lib';
import { PDFDict } from 'pdf-lib';
import { arrayAt } from '../objects/read-entry.js';

/** A key, looked up, and a value as it stands in the tree. */
type Pair = readonly [key: PDFObject | undefined, value: PDFObject];

/**
 * The pairs of all leaves of a name tree or a number tree (ISO 32000-1, 7.9.6 and 7.9.7), in their order. Each node and each array is read once,
 * whatever shape the tree has, so that the walk takes no longer than the file is.
 */
export function pairsInTree(root: PDFDict | undefined, leafKey: 'Names' | 'Nums'): Pair[] {
  const pairs: Pair[] = [];
  const seen = new Set<PDFObject>();
  const itemsOf = (array: PDFArray | undefined): PDFObject[] => {
    if (array === undefined || seen.has(array)) return [];
    seen.add(array);
    return array.asArray();
  };
  const waiting = root === undefined ? [] : [root];
  for (let node = waiting.pop(); node !== undefined; node = waiting.pop()) {
    if (seen.has(node)) continue;
    seen.add(node);
    const { context } = node;
    for (const pair of pairsOf(itemsOf(arrayAt(node, leafKey)))) pairs.push([context.lookup(pair[0]), pair[1]]);
    const kids = itemsOf(arrayAt(node, 'Kids')).map((kid) => context.lookup(kid));
    for (const kid of kids.reverse()) if (kid instanceof PDFDict) waiting.push(kid);
  }
  return pairs;
}

function pairsOf(items: readonly PDFObject[]): (readonly [PDFObject, PDFObject])[] {
  return items.flatMap((key, at) => {
    const value = items[at + 1];
    return at % 2 === 0 && value !== undefined ? [[key, value] as const] : [];
  });
}
