import { type PDFArray, type PDFDocument, PDFName, type PDFObject, PDFString } from 'pdf-lib';

/**
 * Where a link or a bookmark leads: a page (0-based) or a named destination, by a destination of its own or by a GoTo action, or out of
 * the document.
 */
export type LinkTarget =
  | { readonly page: number }
  | { readonly named: string }
  /** A name of the old dictionary, which is no string. */
  | { readonly oldName: string }
  | { readonly action: number | string }
  | { readonly uri: string };

/** The entries that a link or a bookmark has for a target. */
export function targetEntries(document: PDFDocument, target: LinkTarget): Record<string, PDFObject> {
  const { context } = document;
  if ('page' in target) return { Dest: explicitDestination(document, target.page) };
  if ('named' in target) return { Dest: PDFString.of(target.named) };
  if ('oldName' in target) return { Dest: PDFName.of(target.oldName) };
  if ('uri' in target) return { A: context.obj({ S: 'URI', URI: PDFString.of(target.uri) }) };
  const { action } = target;
  const destination = typeof action === 'string' ? PDFString.of(action) : explicitDestination(document, action);
  return { A: context.obj({ S: 'GoTo', D: destination }) };
}

/** The upper left corner of a page (0-based). */
export function explicitDestination(document: PDFDocument, page: number): PDFArray {
  return document.context.obj([document.getPage(page).ref, 'XYZ', 0, 400, null]);
}
