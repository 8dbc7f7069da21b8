import type { PDFObject } from 'pdf-lib';
import { PDFDict, PDFName, PDFNull } from 'pdf-lib';
import { arrayAt } from '../document/objects/read-entry.js';
import type { Excerpt, PlacedPage } from './excerpt.js';

/** The type, which is set, the annotations, which are copied apart, and its places in the page tree, in articles and in the tagged structure. */
const notCopied = ['Type', 'Annots', 'Parent', 'B', 'StructParents'].map((key) => PDFName.of(key));
const resourcesKey = PDFName.of('Resources');

/**
 * Fills the new dictionary of a page: its own entries, those that it took from above, and its annotations.
 *
 * @param resources what it takes of its resources, an object of its source; all without it
 */
export function copyPage(excerpt: Excerpt, page: PlacedPage, resources: PDFObject | undefined): void {
  const { node, from } = page;
  node.set(PDFName.of('Type'), PDFName.of('Page'));
  for (const [key, value] of [...from.node.entries(), ...from.inheritable]) {
    if (notCopied.includes(key) || node.has(key)) continue;
    const copy = excerpt.copier.copy(key === resourcesKey ? (resources ?? value) : value);
    if (copy !== PDFNull) node.set(key, copy);
  }
  const annotations = copyAnnotations(excerpt, page);
  if (annotations.length > 0) node.set(PDFName.of('Annots'), node.context.obj(annotations));
}

/** Copies of all annotations, each of which says that it is on this page. */
function copyAnnotations({ copier }: Excerpt, { from, ref, node }: PlacedPage): PDFObject[] {
  const annotations = arrayAt(from.node, 'Annots')?.asArray() ?? [];
  const copies = annotations.map((annotation) => copier.copy(annotation));
  return copies.filter((copy) => {
    const annotation = node.context.lookup(copy);
    if (!(annotation instanceof PDFDict)) return false;
    annotation.set(PDFName.of('P'), ref);
    return true;
  });
}
