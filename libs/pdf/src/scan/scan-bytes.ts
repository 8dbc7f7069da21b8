import type { DocumentFailure } from '../document/failure/document-failure.js';
import { notAPdf } from '../document/failure/document-failure.js';
import { isSoundCrossReference } from './check-cross-reference.js';
import { endsToken } from '../syntax/characters.js';
import { readInteger } from '../syntax/read-integer.js';

/** What keeps a file from being opened as it is. */
export type ScanFault =
  /** A trailer may name an encryption. */
  | 'encrypted'
  /** The cross-reference is missing or contradicts the file. */
  | 'cross_reference'
  /** Objects follow the end of the last complete revision. */
  | 'after_end';

/** `bytes` is the document without what lies before its header and after its end, a view of the same memory. */
export type Scan =
  | { readonly verdict: 'direct'; readonly bytes: Buffer }
  | { readonly verdict: 'normalise'; readonly faults: ReadonlySet<ScanFault>; readonly bytes: Buffer }
  | { readonly verdict: 'refused'; readonly failure: DocumentFailure };

/** Readers look for the header in the first 1,024 bytes or further on; this is where the search ends here. */
const headerWindowBytes = 4_096;

/**
 * Looks at the bytes of a file only as far as it takes to decide whether a reader that trusts them may open them. Takes a time in
 * proportion to their number, some milliseconds for 20 MB.
 */
export function scanBytes(file: Buffer, input: number): Scan {
  const header = file.subarray(0, headerWindowBytes).indexOf('%PDF-');
  if (header === -1) return { verdict: 'refused', failure: notAPdf(input) };
  const fromHeader = file.subarray(header);
  const pointer = fromHeader.lastIndexOf('startxref');
  const end = endOfDocument(fromHeader, pointer);
  const bytes = fromHeader.subarray(0, end);
  const faults = new Set<ScanFault>();
  if (mentionsEncryption(bytes)) faults.add('encrypted');
  if (!hasSoundCrossReference(file, bytes, { header, pointer })) faults.add('cross_reference');
  if (fromHeader.subarray(end).includes(' obj')) faults.add('after_end');
  return faults.size === 0 ? { verdict: 'direct', bytes } : { verdict: 'normalise', faults, bytes };
}

function endOfDocument(bytes: Buffer, pointer: number): number {
  const marker = pointer === -1 ? -1 : bytes.indexOf('%%EOF', pointer);
  return marker === -1 ? bytes.length : marker + '%%EOF'.length;
}

/** Any name `/Encrypt`, wherever it stands: what is none costs a little time only. */
function mentionsEncryption(bytes: Buffer): boolean {
  const name = '/Encrypt';
  for (let at = bytes.indexOf(name); at !== -1; at = bytes.indexOf(name, at + 1)) {
    if (endsToken(bytes[at + name.length])) return true;
  }
  return false;
}

/** Offsets count from the header or, where something lies before it, from the start of the file. */
function hasSoundCrossReference(file: Buffer, bytes: Buffer, at: { header: number; pointer: number }): boolean {
  const offset = at.pointer === -1 ? null : readInteger(bytes, at.pointer + 'startxref'.length);
  if (offset === null) return false;
  if (isSoundCrossReference(bytes, offset.value)) return true;
  return at.header > 0 && isSoundCrossReference(file, offset.value);
}
