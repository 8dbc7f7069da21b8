import type { PDFDocument } from 'pdf-lib';
import { PDFDict, PDFName, PDFNumber } from 'pdf-lib';

/** What had to be done to a document before it could be worked on. */
const openingWarnings = ['repaired', 'decrypted'] as const;

/** What may be worth knowing about the outputs of an operation that takes pages out of their documents. */
export const documentWarnings = [
  ...openingWarnings,
  'signature_invalidated',
  'appearance_missing',
  'xfa_dropped',
  'scripts_dropped',
  'attachments_dropped',
  'structure_partial',
  'outline_cut',
  'part_oversize',
  'no_outline',
] as const;
export type DocumentWarning = (typeof documentWarnings)[number];

/** Signatures exist (ISO 32000-1, table 219, bit 1). */
const signaturesExist = 1;

/** Those that a catalog tells of; carriers and operations know of the others. */
type LossWarning = Extract<DocumentWarning, 'signature_invalidated' | 'xfa_dropped' | 'scripts_dropped'>;
type Trait = (catalog: PDFDict) => boolean;

const traits: Readonly<Record<LossWarning, Trait>> = {
  signature_invalidated: (catalog) => (numberIn(dictIn(catalog, 'AcroForm'), 'SigFlags') & signaturesExist) !== 0,
  xfa_dropped: (catalog) => has(dictIn(catalog, 'AcroForm'), 'XFA'),
  scripts_dropped: hasScripts,
};

const lossWarnings = Object.keys(traits) as LossWarning[];

/** What of this source its pages alone do not carry along. */
export function warningsOf(document: PDFDocument): DocumentWarning[] {
  return lossWarnings.filter((warning) => traits[warning](document.catalog));
}

/** The same of a document that is worked on in place, which drops nothing. */
export function editWarningsOf(document: PDFDocument): DocumentWarning[] {
  return warningsOf(document).filter((warning) => !warning.endsWith('_dropped'));
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

/** Scripts of the document itself; those of fields and pages go with them. */
function hasScripts(catalog: PDFDict): boolean {
  const opens = dictIn(catalog, 'OpenAction')?.lookup(PDFName.of('S')) === PDFName.of('JavaScript');
  return opens || has(catalog, 'AA') || has(dictIn(catalog, 'Names'), 'JavaScript');
}
