/** What a `Range` header means for a document: the whole, a part (both ends included), or nothing that exists. */
export type RangeReading =
  | { readonly kind: 'whole' }
  | { readonly kind: 'part'; readonly start: number; readonly end: number }
  | { readonly kind: 'unsatisfiable' };

/**
 * Reads a `Range` header (RFC 9110, section 14). A malformed one, another unit or several ranges give the whole, as the RFC allows.
 */
export function readByteRange(header: string | undefined, size: number): RangeReading {
  const [, first = '', last = ''] = /^bytes=(\d{0,15})-(\d{0,15})$/.exec(header?.replaceAll(/\s/g, '') ?? '') ?? [];
  if (first === '' && last === '') return { kind: 'whole' };
  if (first === '') return suffix(Number(last), size);
  if (last !== '' && Number(last) < Number(first)) return { kind: 'whole' };
  if (Number(first) >= size) return { kind: 'unsatisfiable' };
  return { kind: 'part', start: Number(first), end: last === '' ? size - 1 : Math.min(Number(last), size - 1) };
}

function suffix(length: number, size: number): RangeReading {
  if (length === 0 || size === 0) return { kind: 'unsatisfiable' };
  return { kind: 'part', start: Math.max(0, size - length), end: size - 1 };
}
