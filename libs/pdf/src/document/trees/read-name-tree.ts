import type { PDFDict, PDFObject } from 'pdf-lib';
import { isText } from '../objects/read-entry.js';
import { pairsInTree } from './pairs-in-tree.js';

/** One entry of a name tree: the bytes of its name as Latin-1, and its value as it stands in the tree. */
export type NamedEntry = readonly [name: string, value: PDFObject];

/** Entries of all leaves of a name tree in their order. What is no name is left out. */
export function readNameTree(root: PDFDict | undefined): NamedEntry[] {
  return pairsInTree(root, 'Names').flatMap(([name, value]) =>
    isText(name) ? [[Buffer.from(name.asBytes()).toString('latin1'), value] as const] : [],
  );
}
