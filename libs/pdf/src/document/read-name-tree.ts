import type { PDFObject } from 'pdf-lib';
import { PDFDict } from 'pdf-lib';
import { arrayAt, isText } from './read-entry.js';

/** One entry of a name tree: the bytes of its name as Latin-1, and its value as it stands in the tree. */
export type NamedEntry = readonly [name: string, value: PDFObject];

/** Entries of all leaves of a name tree (ISO 32000-1, 7.9.6) in their order. Each node is read once, whatever shape the tree has; what is no name is left out. */
export function readNameTree(root: PDFDict | undefined): NamedEntry[] {
  const entries: NamedEntry[] = [];
  const seen = new Set<PDFDict>();
  const waiting = root === undefined ? [] : [root];
  for (let node = waiting.pop(); node !== undefined; node = waiting.pop()) {
    if (seen.has(node)) continue;
    seen.add(node);
    for (const entry of entriesOf(node)) entries.push(entry);
    for (const kid of kidsOf(node).reverse()) waiting.push(kid);
  }
  return entries;
}

function entriesOf(node: PDFDict): NamedEntry[] {
  const names = arrayAt(node, 'Names');
  return (names?.asArray() ?? []).flatMap((item, at, items) => {
    const name = node.context.lookup(item);
    const value = items[at + 1];
    return at % 2 === 0 && isText(name) && value !== undefined
      ? [[Buffer.from(name.asBytes()).toString('latin1'), value] as const]
      : [];
  });
}

function kidsOf(node: PDFDict): PDFDict[] {
  const kids = arrayAt(node, 'Kids')?.asArray() ?? [];
  return kids.map((kid) => node.context.lookup(kid)).filter((kid) => kid instanceof PDFDict);
}
