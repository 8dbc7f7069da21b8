import type { PDFContext, PDFObject } from 'pdf-lib';
import { PDFArray, PDFDict, PDFName, PDFNull, PDFNumber, PDFRef, PDFStream } from 'pdf-lib';
import { arrayAt, numberAt } from '../../document/objects/read-entry.js';
import type { Excerpt } from '../excerpt.js';
import type { IsTaken } from './choose-elements.js';
import type { Structure } from './read-structure.js';

/** What one excerpt has of a structure. */
export interface TakenStructure {
  readonly structure: Structure;
  readonly excerpt: Excerpt;
  readonly isTaken: IsTaken;
}

const numberKeys = ['StructParent', 'StructParents'];

/**
 * Gives the pages, annotations and forms of an excerpt, which are copied, new numbers, under which their elements are found.
 *
 * @param parents the elements by number; what is added gets the number that comes next
 */
export function renumberContent(taken: TakenStructure, parents: PDFObject[], target: PDFContext): void {
  const { pages, copier } = taken.excerpt;
  const give = (dict: PDFDict, key: string, number: number): void => {
    const copy = copyParents(taken, taken.structure.parents.get(number), target);
    if (copy === null) return;
    dict.set(PDFName.of(key), PDFNumber.of(parents.length));
    parents.push(copy);
  };
  for (const { from, node } of pages) {
    const number = numberAt(from.node, 'StructParents');
    if (number !== undefined) give(node, 'StructParents', number);
    arrayAt(node, 'Annots')
      ?.asArray()
      .forEach((annotation) => renumber(annotation, give));
  }
  for (let index = 0; index < copier.made.length; index += 1) renumber(target.lookup(copier.made[index]), give);
}

/** References are left to the object that they lead to. */
function renumber(object: PDFObject | undefined, give: (dict: PDFDict, key: string, number: number) => void): void {
  const dict = object instanceof PDFStream ? object.dict : object;
  if (!(dict instanceof PDFDict)) return;
  for (const key of numberKeys) {
    const number = numberAt(dict, key);
    if (number === undefined) continue;
    dict.delete(PDFName.of(key));
    give(dict, key, number);
  }
}

/** One element, or a list of them by the numbers of content; `null` if there is none. */
function copyParents(
  { structure, excerpt, isTaken }: TakenStructure,
  parents: PDFObject | undefined,
  target: PDFContext,
): PDFObject | null {
  const copyOf = (element: PDFObject): PDFObject =>
    element instanceof PDFRef && isTaken(element) ? excerpt.copier.copy(element) : PDFNull;
  const list = structure.root.context.lookup(parents);
  if (list instanceof PDFArray) return target.register(target.obj(list.asArray().map(copyOf)));
  const copy = parents === undefined ? PDFNull : copyOf(parents);
  return copy === PDFNull ? null : copy;
}
