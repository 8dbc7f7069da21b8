import { readInteger } from '../syntax/read-integer.js';

/** How far the trailer of a cross-reference may reach. */
const trailerWindowBytes = 4_096;
/** Documents that are saved more often than that are rare, and lose nothing but time. */
const mostRevisions = 1_000;

/**
 * Where the revisions of a file after the first begin, in order: each behind the cross-reference of the one before, as their trailers
 * lead from the last one back (ISO 32000-1, 7.5.6). None when there is only one revision, or when they do not follow one another.
 */
export function revisionStarts(bytes: Buffer): number[] {
  const pointer = bytes.lastIndexOf('startxref');
  let offset = pointer === -1 ? null : (readInteger(bytes, pointer + 'startxref'.length)?.value ?? null);
  const starts: number[] = [];
  while (offset !== null && starts.length < mostRevisions) {
    const before = previousOf(bytes, offset);
    if (before !== null && before >= offset) return [];
    if (before !== null) starts.unshift(before);
    offset = before;
  }
  return starts;
}

/** The offset of the cross-reference before this one, table or stream. */
function previousOf(bytes: Buffer, offset: number): number | null {
  const isTable = bytes.toString('latin1', offset, offset + 4) === 'xref';
  const trailer = isTable ? bytes.indexOf('trailer', offset) : offset;
  if (trailer === -1) return null;
  const text = bytes.toString('latin1', trailer, trailer + trailerWindowBytes);
  const end = isTable ? text.indexOf('startxref') : text.indexOf('stream');
  const previous = /\/Prev\s+(\d{1,15})\b/.exec(end === -1 ? text : text.slice(0, end));
  return previous === null ? null : Number(previous[1]);
}
