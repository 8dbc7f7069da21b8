import type { PDFDict, PDFDocument } from 'pdf-lib';
import { PDFName } from 'pdf-lib';
import { dictAt, nameAt, numberAt } from '../objects/read-entry.js';

/** What may be worth knowing about the outputs of an operation, and what each says. */
export const documentWarnings = {
  repaired: 'An input was damaged; what could be read of it is there.',
  decrypted: 'An input was encrypted; the output is not.',
  signature_invalidated: 'An input was signed; its signatures do not hold for the output.',
  appearance_missing:
    'A form field has a text and nothing that shows it; its text was lost when the form was flattened.',
  xfa_dropped: 'An input has an XFA form, which is left out.',
  scripts_dropped: 'An input has scripts of the document itself, which are left out.',
  attachments_dropped: 'Files are attached to the whole input; a part of it does not have them.',
  structure_partial: 'Some pages of the output are tagged and some are not.',
  outline_cut: 'The outline of an input has a loop, or is too deep or too long, and was cut there.',
  part_oversize: 'A part of a split by size is one page that is larger than the parts may be.',
  watermark_outside: 'The watermark lies wholly outside of what is seen of a page that it was to be drawn on.',
  no_outline: 'The input of a split by its outline has none, and is one part.',
} as const satisfies Readonly<Record<string, string>>;
/** A code of {@link documentWarnings}. */
export type DocumentWarning = keyof typeof documentWarnings;

/** Signatures exist (ISO 32000-1, table 219, bit 1). */
const signaturesExist = 1;

/** Those that a catalog tells of; carriers and operations know of the others. */
type LossWarning = Extract<DocumentWarning, 'signature_invalidated' | 'xfa_dropped' | 'scripts_dropped'>;
interface Trait {
  isIn(catalog: PDFDict): boolean;
  /** Whether it is lost as well when a document is worked on in place. */
  readonly isLostInPlace: boolean;
}

const traits: Readonly<Record<LossWarning, Trait>> = {
  signature_invalidated: { isIn: isSigned, isLostInPlace: true },
  xfa_dropped: { isIn: (catalog) => has(dictAt(catalog, 'AcroForm'), 'XFA'), isLostInPlace: false },
  scripts_dropped: { isIn: hasScripts, isLostInPlace: false },
};

const lossWarnings = Object.keys(traits) as LossWarning[];

/** What of this source its pages alone do not carry along. */
export function warningsOf(document: PDFDocument): DocumentWarning[] {
  return lossWarnings.filter((warning) => traits[warning].isIn(document.catalog));
}

/** The same of a document that is worked on in place. */
export function editWarningsOf(document: PDFDocument): DocumentWarning[] {
  return lossWarnings.filter((warning) => traits[warning].isLostInPlace && traits[warning].isIn(document.catalog));
}

function isSigned(catalog: PDFDict): boolean {
  return ((numberAt(dictAt(catalog, 'AcroForm'), 'SigFlags') ?? 0) & signaturesExist) !== 0;
}

/** Scripts of the document itself; those of fields and pages go with them. */
function hasScripts(catalog: PDFDict): boolean {
  const opens = nameAt(dictAt(catalog, 'OpenAction'), 'S') === 'JavaScript';
  return opens || has(catalog, 'AA') || has(dictAt(catalog, 'Names'), 'JavaScript');
}

function has(dict: PDFDict | undefined, key: string): boolean {
  return dict?.lookup(PDFName.of(key)) !== undefined;
}
