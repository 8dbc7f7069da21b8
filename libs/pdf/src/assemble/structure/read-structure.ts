import type { PDFDocument, PDFObject } from 'pdf-lib';
import { PDFArray, PDFDict, PDFName, PDFNumber, PDFRef } from 'pdf-lib';
import { dictAt, entryAt, refAt } from '../../document/objects/read-entry.js';
import { readNumberTree } from '../../document/trees/read-number-tree.js';
import { oncePer } from '../once-per.js';

/** The tagged structure of a document (ISO 32000-1, 14.7), as far as its elements are indirect objects. */
export interface Structure {
  readonly root: PDFDict;
  readonly rootRef: PDFRef | undefined;
  /** The elements to which the content of a page or of an object belongs, by its number. */
  readonly parents: ReadonlyMap<number, PDFObject>;
  /** The element that each element is a kid of; of the topmost, nothing. */
  readonly above: ReadonlyMap<PDFRef, PDFRef | undefined>;
  /** The elements that have content of their own on a page. */
  readonly onPage: ReadonlyMap<PDFRef, readonly PDFRef[]>;
}

/** `null` when the document is not tagged. */
export const structureOf = oncePer(({ catalog }: PDFDocument): Structure | null => {
  const root = dictAt(catalog, 'StructTreeRoot');
  if (root === undefined) return null;
  const parents = readNumberTree(dictAt(root, 'ParentTree'));
  return { root, rootRef: refAt(catalog, 'StructTreeRoot'), parents, ...walk(root) };
});

/** What an element or the root has for kids, one or many, as they stand there. */
export function kidsOf(element: PDFDict): readonly PDFObject[] {
  const kids = element.lookup(PDFName.of('K'));
  if (kids instanceof PDFArray) return kids.asArray();
  const kid = entryAt(element, 'K');
  return kid === undefined ? [] : [kid];
}

/** A kid that is an element of its own, not content. */
export function isElement(kid: PDFObject | undefined): kid is PDFDict {
  return kid instanceof PDFDict && kid.has(PDFName.of('S'));
}

/** The page on which a kid of an element that is content lies; `undefined` if the document does not say, or it is none. */
export function pageOf(kid: PDFObject | undefined, element: PDFDict): PDFRef | undefined {
  if (kid instanceof PDFNumber) return refAt(element, 'Pg');
  return kid instanceof PDFDict && !isElement(kid) ? (refAt(kid, 'Pg') ?? refAt(element, 'Pg')) : undefined;
}

function walk(root: PDFDict): Pick<Structure, 'above' | 'onPage'> {
  const above = new Map<PDFRef, PDFRef | undefined>();
  const onPage = new Map<PDFRef, PDFRef[]>();
  const waiting: { readonly element: PDFDict; readonly ref: PDFRef | undefined }[] = [
    { element: root, ref: undefined },
  ];
  for (let next = waiting.pop(); next !== undefined; next = waiting.pop()) {
    const { element, ref } = next;
    for (const kid of kidsOf(element)) {
      const value = root.context.lookup(kid);
      if (kid instanceof PDFRef && isElement(value) && !above.has(kid)) {
        above.set(kid, ref);
        waiting.push({ element: value, ref: kid });
      }
      const page = pageOf(value, element);
      if (page !== undefined && ref !== undefined) note(onPage, page, ref);
    }
  }
  return { above, onPage };
}

function note(onPage: Map<PDFRef, PDFRef[]>, page: PDFRef, element: PDFRef): void {
  const known = onPage.get(page);
  if (known === undefined) onPage.set(page, [element]);
  else if (known.at(-1) !== element) known.push(element);
}
