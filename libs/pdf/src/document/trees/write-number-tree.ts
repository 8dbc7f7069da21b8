import type { PDFContext, PDFObject, PDFRef } from 'pdf-lib';
import { PDFNumber } from 'pdf-lib';

const mostPerLeaf = 64;

/** Registers a number tree (ISO 32000-1, 7.9.7) of entries with different numbers. */
export function writeNumberTree(context: PDFContext, entries: Iterable<readonly [number, PDFObject]>): PDFRef {
  const sorted = [...entries].sort(([one], [other]) => one - other);
  if (sorted.length <= mostPerLeaf) return context.register(context.obj({ Nums: pairsOf(sorted) }));
  const leaves: PDFRef[] = [];
  for (let at = 0; at < sorted.length; at += mostPerLeaf) {
    const held = sorted.slice(at, at + mostPerLeaf);
    const limits = [held[0]?.[0] ?? 0, held.at(-1)?.[0] ?? 0];
    leaves.push(context.register(context.obj({ Limits: limits, Nums: pairsOf(held) })));
  }
  return context.register(context.obj({ Kids: leaves }));
}

function pairsOf(entries: readonly (readonly [number, PDFObject])[]): PDFObject[] {
  return entries.flatMap(([number, value]) => [PDFNumber.of(number), value]);
}
