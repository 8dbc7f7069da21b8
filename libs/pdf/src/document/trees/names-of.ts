import type { PDFDict, PDFDocument } from 'pdf-lib';
import { PDFName } from 'pdf-lib';
import { dictAt } from '../objects/read-entry.js';

/** The dictionary of a document that holds its name trees, made where it has none. */
export function namesOf({ catalog, context }: PDFDocument): PDFDict {
  const there = dictAt(catalog, 'Names');
  if (there !== undefined) return there;
  const names = context.obj({});
  catalog.set(PDFName.of('Names'), names);
  return names;
}
