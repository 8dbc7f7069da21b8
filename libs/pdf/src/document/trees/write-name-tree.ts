import type { PDFContext, PDFRef } from 'pdf-lib';
import { PDFHexString } from 'pdf-lib';
import type { NamedEntry } from './read-name-tree.js';

const mostPerLeaf = 64;

/** Registers a name tree of entries with different names, in the order of their bytes as readers expect it. */
export function writeNameTree(context: PDFContext, entries: readonly NamedEntry[]): PDFRef {
  const sorted = [...entries].sort(([one], [other]) => (one < other ? -1 : 1));
  if (sorted.length <= mostPerLeaf) return context.register(context.obj({ Names: pairsOf(context, sorted) }));
  const leaves: PDFRef[] = [];
  for (let at = 0; at < sorted.length; at += mostPerLeaf) {
    const held = sorted.slice(at, at + mostPerLeaf);
    const limits = [held[0], held.at(-1)].map((entry) => keyOf(entry?.[0] ?? ''));
    leaves.push(context.register(context.obj({ Limits: limits, Names: pairsOf(context, held) })));
  }
  return context.register(context.obj({ Kids: leaves }));
}

function pairsOf(context: PDFContext, entries: readonly NamedEntry[]): ReturnType<PDFContext['obj']> {
  return context.obj(entries.flatMap(([name, value]) => [keyOf(name), value]));
}

function keyOf(name: string): PDFHexString {
  return PDFHexString.of(Buffer.from(name, 'latin1').toString('hex'));
}
