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
  if (first !== '') return fromFirst(Number(first), last === '' ? Infinity : Number(last), size);
  return last === '' ? { kind: 'whole' } : suffix(Number(last), size);
}

function fromFirst(first: number, last: number, size: number): RangeReading {
  if (last < first) return { kind: 'whole' };
  if (first >= size) return { kind: 'unsatisfiable' };
  return { kind: 'part', start: first, end: Math.min(last, size - 1) };
}

function suffix(length: number, size: number): RangeReading {
  if (length === 0 || size === 0) return { kind: 'unsatisfiable' };
  return { kind: 'part', start: Math.max(0, size - length), end: size - 1 };
}
