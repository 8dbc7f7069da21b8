import type { PDFDict } from 'pdf-lib';
import { PDFArray, PDFName, PDFRef } from 'pdf-lib';
import type { Excerpt } from '../excerpt.js';
import { isElement, kidsOf, pageOf, type Structure } from './read-structure.js';

/** Which elements come along with an excerpt. */
export type IsTaken = (element: PDFRef) => boolean;

/** Elements that have no content on the pages taken, on their own or below, are left out, and so is the content of others on other pages. */
export function chooseElements(structure: Structure, { copier, pages, isWhole, repeat }: Excerpt): IsTaken {
  if (isWhole && repeat === 0) return () => true;
  const takenPages = new Set(pages.map(({ from }) => from.ref));
  const taken = new Set<PDFRef>();
  for (const page of takenPages) {
    for (const element of structure.onPage.get(page) ?? []) {
      for (
        let next: PDFRef | undefined = element;
        next !== undefined && !taken.has(next);
        next = structure.above.get(next)
      )
        taken.add(next);
    }
  }
  for (const ref of taken) {
    const element = structure.root.context.lookup(ref);
    if (isElement(element)) copier.substitute(ref, restricted(element, taken, takenPages));
  }
  return (element) => taken.has(element);
}

/** The element without what is not taken; references to other elements, which might lead to those, go too. */
function restricted(element: PDFDict, taken: ReadonlySet<PDFRef>, pages: ReadonlySet<PDFRef>): PDFDict {
  const { context } = element;
  const copy = element.clone();
  copy.delete(PDFName.of('Ref'));
  const kids = PDFArray.withContext(context);
  for (const kid of kidsOf(element)) {
    const page = pageOf(context.lookup(kid), element);
    const isTaken = kid instanceof PDFRef && taken.has(kid);
    if (isTaken || (page !== undefined && pages.has(page))) kids.push(kid);
  }
  copy.set(PDFName.of('K'), kids);
  return copy;
}
