import type { PDFDocument } from 'pdf-lib';
import { PDFArray, PDFDict, PDFInvalidObject, PDFName, PDFNumber } from 'pdf-lib';

/** What may be worth knowing about the outputs of an operation that takes pages out of their documents. */
export const documentWarnings = [
  'repaired',
  'signature_invalidated',
  'form_dropped',
  'outline_dropped',
  'destinations_dropped',
  'attachments_dropped',
  'structure_partial',
  'page_labels_dropped',
  'layers_dropped',
] as const;
export type DocumentWarning = (typeof documentWarnings)[number];

/** Signatures exist (ISO 32000-1, table 219, bit 1). */
const signaturesExist = 1;

type Trait = (catalog: PDFDict, document: PDFDocument) => boolean;

/** Of those that an opened source tells by itself; carriers know of the others. */
const traits: Readonly<Partial<Record<DocumentWarning, Trait>>> = {
  repaired: (_catalog, { context }) =>
    context.enumerateIndirectObjects().some(([, object]) => object instanceof PDFInvalidObject),
  signature_invalidated: (catalog) => (numberIn(dictIn(catalog, 'AcroForm'), 'SigFlags') & signaturesExist) !== 0,
  form_dropped: (catalog) => hasItems(dictIn(catalog, 'AcroForm'), 'Fields'),
  outline_dropped: (catalog) => dictIn(catalog, 'Outlines')?.has(PDFName.of('First')) === true,
  destinations_dropped: (catalog) => has(catalog, 'Dests') || has(dictIn(catalog, 'Names'), 'Dests'),
  attachments_dropped: (catalog) => has(dictIn(catalog, 'Names'), 'EmbeddedFiles'),
  page_labels_dropped: (catalog) => has(catalog, 'PageLabels'),
  layers_dropped: (catalog) => has(catalog, 'OCProperties'),
};

/** What of this source its pages alone do not carry along, and whether parts of it could not be read. */
export function warningsOf(document: PDFDocument): DocumentWarning[] {
  return documentWarnings.filter((warning) => traits[warning]?.(document.catalog, document));
}

function has(dict: PDFDict | undefined, key: string): boolean {
  return dict?.lookup(PDFName.of(key)) !== undefined;
}

function dictIn(dict: PDFDict, key: string): PDFDict | undefined {
  const value = dict.lookup(PDFName.of(key));
  return value instanceof PDFDict ? value : undefined;
}

function numberIn(dict: PDFDict | undefined, key: string): number {
  const value = dict?.lookup(PDFName.of(key));
  return value instanceof PDFNumber ? value.asNumber() : 0;
}

function hasItems(dict: PDFDict | undefined, key: string): boolean {
  const value = dict?.lookup(PDFName.of(key));
  return value instanceof PDFArray && value.size() > 0;
}
