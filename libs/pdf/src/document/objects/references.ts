import type { PDFObject } from 'pdf-lib';
import { PDFArray, PDFDict, PDFRef, PDFStream } from 'pdf-lib';

/** The references in an object, without those of the objects that they lead to. */
export function referencesIn(object: PDFObject): PDFRef[] {
  const references: PDFRef[] = [];
  const waiting: PDFObject[] = [object];
  for (let next = waiting.pop(); next !== undefined; next = waiting.pop()) {
    if (next instanceof PDFRef) references.push(next);
    else for (const part of partsOf(next)) waiting.push(part);
  }
  return references;
}

/** Changes the references in an object, in place. */
export function replaceReferences(object: PDFObject, replacements: ReadonlyMap<PDFRef, PDFRef>): void {
  const waiting: PDFObject[] = [object];
  for (let next = waiting.pop(); next !== undefined; next = waiting.pop()) {
    const container = next;
    const replace = (value: PDFObject, set: (replacement: PDFRef) => void): void => {
      if (!(value instanceof PDFRef)) return void waiting.push(value);
      const replacement = replacements.get(value);
      if (replacement !== undefined) set(replacement);
    };
    if (container instanceof PDFStream) waiting.push(container.dict);
    else if (container instanceof PDFDict)
      container.entries().forEach(([key, value]) => replace(value, (made) => container.set(key, made)));
    else if (container instanceof PDFArray)
      container.asArray().forEach((value, index) => replace(value, (made) => container.set(index, made)));
  }
}

function partsOf(object: PDFObject): readonly PDFObject[] {
  if (object instanceof PDFDict) return object.values();
  if (object instanceof PDFArray) return object.asArray();
  return object instanceof PDFStream ? [object.dict] : [];
}
