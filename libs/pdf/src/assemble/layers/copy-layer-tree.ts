import type { PDFContext, PDFObject } from 'pdf-lib';
import { PDFArray, PDFRef } from 'pdf-lib';
import { isText } from '../../document/objects/read-entry.js';
import type { ObjectCopier } from '../object-copier.js';

/** Readers show no deeper trees. */
const mostDepth = 50;

/** The documents that a tree is copied from and into. */
export interface TreeCopy {
  readonly copier: ObjectCopier;
  readonly source: PDFContext;
  readonly target: PDFContext;
}

/**
 * A tree of layers (`Order`, ISO 32000-1, table 101) with those layers alone that were copied; labels stay where a layer stays beside or below them. Each
 * branch is copied once, wherever it hangs.
 */
export function copyLayerTree(tree: PDFArray, { copier, source, target }: TreeCopy): PDFArray {
  const seen = new Set<PDFArray>();
  return copyBranch(tree, 0);

  function copyBranch(branch: PDFArray, depth: number): PDFArray {
    seen.add(branch);
    const copies = branch.asArray().flatMap((item) => copyItem(item, depth) ?? []);
    return target.obj(copies.every(isText) ? [] : copies);
  }

  function copyItem(item: PDFObject, depth: number): PDFObject | undefined {
    const found = source.lookup(item);
    if (isText(found)) return found;
    if (!(found instanceof PDFArray)) return item instanceof PDFRef ? copier.copyOf(item) : undefined;
    const below = depth < mostDepth && !seen.has(found) ? copyBranch(found, depth + 1) : undefined;
    return below !== undefined && below.size() > 0 ? below : undefined;
  }
}
