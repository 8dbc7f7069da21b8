import { PDFArray, PDFDict, type PDFDocument, PDFNumber } from 'pdf-lib';
import { dictAt, nameAt, numberAt, treeEntries, valueAt } from './objects.js';

/** The tagged structure of a document. */
export interface DescribedStructure {
  /** Number of structure elements. */
  readonly elements: number;
  /** Types of the elements in document order. */
  readonly types: readonly string[];
  /** 0-based pages whose `StructParents` is missing or leads to nothing in the parent tree. */
  readonly unresolvedPages: readonly number[];
  readonly isMarked: boolean;
}

/** Reads the structure of a document; `null` if it has none. A structure with a loop is an error. */
export function describeStructure(document: PDFDocument): DescribedStructure | null {
  const root = dictAt(document.catalog, 'StructTreeRoot');
  if (root === undefined) return null;
  const types: string[] = [];
  const seen = new Set<PDFDict>();
  const visit = (holder: PDFDict): void => {
    const kids = valueAt(holder, 'K');
    for (const kid of kids instanceof PDFArray ? kids.asArray() : [kids]) {
      const element = document.context.lookup(kid);
      if (!(element instanceof PDFDict) || nameAt(element, 'S') === undefined) continue;
      if (seen.has(element)) throw new Error('The structure holds an element twice.');
      seen.add(element);
      types.push(nameAt(element, 'S') ?? '');
      visit(element);
    }
  };
  visit(root);
  const parents = parentKeys(root);
  return {
    elements: types.length,
    types,
    unresolvedPages: document
      .getPages()
      .flatMap(({ node }, index) => (parents.has(numberAt(node, 'StructParents') ?? -1) ? [] : [index])),
    isMarked: String(valueAt(dictAt(document.catalog, 'MarkInfo'), 'Marked')) === 'true',
  };
}

/** The keys of the parent tree whose values are there. */
function parentKeys(root: PDFDict): Set<number> {
  const entries = [...treeEntries(dictAt(root, 'ParentTree'), 'Nums')];
  return new Set(
    entries.flatMap(({ key, value }) =>
      key instanceof PDFNumber && root.context.lookup(value) !== undefined ? [key.asNumber()] : [],
    ),
  );
}
