import { skipWhitespace } from '../syntax/characters.js';
import { readInteger } from '../syntax/read-integer.js';
import { indexObjects } from './index-objects.js';

/** How far the trailer of a cross-reference may reach. */
const trailerWindowBytes = 4_096;
/** Documents that are saved more often than that are rare, and lose nothing but time. */
const mostRevisions = 1_000;

/**
 * Where the cross-references of a file are, that of its last revision first, as their trailers lead from one back to the one before
 * (ISO 32000-1, 7.5.6). Ends where one leads forwards, as in a linearized file.
 */
export function crossReferencesOf(bytes: Buffer): number[] {
  const pointer = bytes.lastIndexOf('startxref');
  const offsets: number[] = [];
  let offset = pointer === -1 ? null : (readInteger(bytes, pointer + 'startxref'.length)?.value ?? null);
  while (offset !== null && offsets.length < mostRevisions) {
    offsets.push(offset);
    const before = previousOf(bytes, offset);
    offset = before !== null && before < offset ? before : null;
  }
  return offsets;
}

/**
 * Whether the last object of each number in the file is the one that the cross-reference tables lead to, and all objects are led to: then
 * a reader that takes the last of several is right. False where one of the cross-references is no table.
 */
export function lastObjectsCount(bytes: Buffer, crossReferences: readonly number[]): boolean {
  const listed = new Map<number, string>();
  for (const offset of crossReferences) if (!addEntries(bytes, offset, listed)) return false;
  const objects = indexObjects(bytes);
  for (const [key, offset] of objects) if (listed.get(Number.parseInt(key, 10)) !== `${key} at ${offset}`) return false;
  return [...listed.values()].filter((entry) => entry !== free).length === objects.size;
}

const free = 'free';

/** Adds what no later revision has listed; false when the table cannot be read. */
function addEntries(bytes: Buffer, offset: number, listed: Map<number, string>): boolean {
  if (bytes.toString('latin1', offset, offset + 4) !== 'xref') return false;
  let at = offset + 4;
  for (let first = readInteger(bytes, at); first !== null; first = readInteger(bytes, at)) {
    const count = readInteger(bytes, first.end);
    if (count === null) return false;
    at = count.end;
    for (let number = first.value; number < first.value + count.value; number += 1) {
      const entry = readEntry(bytes, at, number);
      if (entry === null) return false;
      at = entry.end;
      if (!listed.has(number)) listed.set(number, entry.listed);
    }
  }
  return true;
}

/** An entry of a table (ISO 32000-1, 7.5.4). */
function readEntry(
  bytes: Buffer,
  at: number,
  number: number,
): { readonly listed: string; readonly end: number } | null {
  const target = readInteger(bytes, at);
  const generation = target === null ? null : readInteger(bytes, target.end);
  if (target === null || generation === null) return null;
  const kind = skipWhitespace(bytes, generation.end);
  const isUsed = String.fromCharCode(bytes[kind] ?? 0) === 'n' && target.value > 0;
  const place = `${number} ${generation.value} at ${skipWhitespace(bytes, target.value)}`;
  return { listed: isUsed ? place : free, end: kind + 1 };
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
