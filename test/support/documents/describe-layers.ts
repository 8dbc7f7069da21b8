import type { PDFArray, PDFDocument } from 'pdf-lib';
import { arrayAt, dictAt, dictsIn, nameAt, textAt } from './objects.js';

/** The layers of a document by name, each visible by default or not, in the order in which the document has them. */
export type DescribedLayers = ReadonlyArray<{ readonly name: string; readonly isVisible: boolean }>;

/** Reads the layers of a document; `null` if it has none. */
export function describeLayers(document: PDFDocument): DescribedLayers | null {
  const properties = dictAt(document.catalog, 'OCProperties');
  if (properties === undefined) return null;
  const byDefault = dictAt(properties, 'D');
  const listed = (array: PDFArray | undefined): Set<object> =>
    new Set(dictsIn(array, document.context).map(({ dict }) => dict));
  const [on, off] = [listed(arrayAt(byDefault, 'ON')), listed(arrayAt(byDefault, 'OFF'))];
  const isOffAtFirst = nameAt(byDefault, 'BaseState') === 'OFF';
  return dictsIn(arrayAt(properties, 'OCGs'), document.context).map(({ dict }) => ({
    name: textAt(dict, 'Name') ?? '',
    isVisible: isOffAtFirst ? on.has(dict) : !off.has(dict),
  }));
}
