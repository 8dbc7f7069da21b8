import {
  PDFArray,
  type PDFContext,
  PDFDict,
  PDFHexString,
  PDFName,
  PDFNumber,
  type PDFObject,
  PDFRef,
  PDFStream,
  PDFString,
} from 'pdf-lib';

/** Objects of a document as plain values. Whatever has another type than asked for is absent. */

export function dictAt(dict: PDFDict | undefined, key: string): PDFDict | undefined {
  const value = valueAt(dict, key);
  if (value instanceof PDFStream) return value.dict;
  return value instanceof PDFDict ? value : undefined;
}

export function arrayAt(dict: PDFDict | undefined, key: string): PDFArray | undefined {
  const value = valueAt(dict, key);
  return value instanceof PDFArray ? value : undefined;
}

export function textAt(dict: PDFDict | undefined, key: string): string | undefined {
  return textOf(valueAt(dict, key));
}

export function nameAt(dict: PDFDict | undefined, key: string): string | undefined {
  const value = valueAt(dict, key);
  return value instanceof PDFName ? value.decodeText() : undefined;
}

export function numberAt(dict: PDFDict | undefined, key: string): number | undefined {
  const value = valueAt(dict, key);
  return value instanceof PDFNumber ? value.asNumber() : undefined;
}

export function refAt(dict: PDFDict | undefined, key: string): PDFRef | undefined {
  const value = dict?.get(PDFName.of(key));
  return value instanceof PDFRef ? value : undefined;
}

/** The value of an entry, looked up. */
export function valueAt(dict: PDFDict | undefined, key: string): PDFObject | undefined {
  return dict?.lookup(PDFName.of(key));
}

/** The text of a string, or the name of a name. */
export function textOf(value: PDFObject | undefined): string | undefined {
  if (value instanceof PDFString || value instanceof PDFHexString || value instanceof PDFName)
    return value.decodeText();
  return undefined;
}

/** The bytes of a string, as they order and as they are compared in name trees. */
export function keyOf(value: PDFObject | undefined): string | undefined {
  if (value instanceof PDFString || value instanceof PDFHexString)
    return Buffer.from(value.asBytes()).toString('latin1');
  return value instanceof PDFName ? value.decodeText() : undefined;
}

/** The dictionaries of an array, with the reference of each that has one. */
export function dictsIn(
  array: PDFArray | undefined,
  context: PDFContext,
): Array<{ readonly ref: PDFRef | undefined; readonly dict: PDFDict }> {
  return (array?.asArray() ?? []).flatMap((item) => {
    const found = context.lookup(item);
    return found instanceof PDFDict ? [{ ref: item instanceof PDFRef ? item : undefined, dict: found }] : [];
  });
}

/** The entries of a name tree or a number tree, in the order of their leaves. A tree with a loop is an error. */
export function* treeEntries(
  root: PDFDict | undefined,
  leaves: 'Names' | 'Nums',
  seen = new Set<PDFDict>(),
): Generator<{ readonly key: PDFObject | undefined; readonly value: PDFObject | undefined }> {
  if (root === undefined) return;
  if (seen.has(root)) throw new Error('A tree of the document has a loop.');
  seen.add(root);
  const pairs = arrayAt(root, leaves);
  for (let at = 0; at + 1 < (pairs?.size() ?? 0); at += 2) yield { key: pairs?.lookup(at), value: pairs?.get(at + 1) };
  for (const { dict } of dictsIn(arrayAt(root, 'Kids'), root.context)) yield* treeEntries(dict, leaves, seen);
}
