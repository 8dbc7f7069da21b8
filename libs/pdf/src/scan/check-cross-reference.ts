import { skipWhitespace } from '../syntax/characters.js';
import { readInteger } from '../syntax/read-integer.js';
import { readObjectHeader } from '../syntax/read-object-header.js';

/** How far the dictionary of a cross-reference stream may reach. */
const dictionaryWindowBytes = 4_096;
/** No field of an entry needs more bytes (ISO 32000-1, 7.5.8.2 names no limit). */
const widestFieldBytes = 8;

/**
 * Whether a cross-reference, table or stream, lies at the offset and does not contradict the file: the entries of a table lead to their
 * objects, a stream claims no more entries than the file has bytes.
 */
export function isSoundCrossReference(bytes: Buffer, offset: number): boolean {
  const start = skipWhitespace(bytes, offset);
  const isTable = bytes.toString('latin1', start, start + 4) === 'xref';
  return isTable ? isSoundTable(bytes, start + 4) : isSoundStream(bytes, start);
}

function isSoundTable(bytes: Buffer, offset: number): boolean {
  let at: number | null = offset;
  for (let next = readInteger(bytes, at); next !== null; next = readInteger(bytes, at)) {
    const count = readInteger(bytes, next.end);
    at = count === null ? null : endOfSection(bytes, count.end, { first: next.value, count: count.value });
    if (at === null) return false;
  }
  const keyword = skipWhitespace(bytes, at);
  return bytes.toString('latin1', keyword, keyword + 'trailer'.length) === 'trailer';
}

/** Where the entries of a section end, if they are sound. */
function endOfSection(bytes: Buffer, offset: number, section: { first: number; count: number }): number | null {
  let at = offset;
  for (let index = 0; index < section.count; index += 1) {
    const target = readInteger(bytes, at);
    const generation = target === null ? null : readInteger(bytes, target.end);
    if (target === null || generation === null) return null;
    const kind = skipWhitespace(bytes, generation.end);
    const type = String.fromCharCode(bytes[kind] ?? 0);
    if (type !== 'n' && type !== 'f') return null;
    if (type === 'n' && !leadsTo(bytes, target.value, section.first + index)) return null;
    at = kind + 1;
  }
  return at;
}

/** Offset 0 is where no object can be: some writers mark their unused numbers so. */
function leadsTo(bytes: Buffer, offset: number, objectNumber: number): boolean {
  return offset === 0 || readObjectHeader(bytes, offset)?.objectNumber === objectNumber;
}

function isSoundStream(bytes: Buffer, offset: number): boolean {
  const header = readObjectHeader(bytes, offset);
  if (header === null) return false;
  const text = bytes.toString('latin1', header.end, header.end + dictionaryWindowBytes);
  const end = />>\s*stream/.exec(text);
  return end !== null && hasSoundEntries(text.slice(0, end.index), bytes.length);
}

function hasSoundEntries(dictionary: string, mostEntries: number): boolean {
  if (!/\/Type\s*\/XRef\b/.test(dictionary)) return false;
  const widths = integersIn(dictionary, /\/W\s*\[([^\]]*)\]/);
  const counts = integersIn(dictionary, /\/Index\s*\[([^\]]*)\]/)?.filter((_, index) => index % 2 === 1);
  const entries = counts ?? [Number(/\/Size\s+(\d+)/.exec(dictionary)?.[1])];
  return (
    widths?.length === 3 &&
    widths.every((width) => width >= 0 && width <= widestFieldBytes) &&
    entries.every((count) => count >= 0) &&
    entries.reduce((sum, count) => sum + count, 0) <= mostEntries
  );
}

function integersIn(text: string, array: RegExp): number[] | null {
  const content = array.exec(text)?.[1]?.trim();
  return content === undefined ? null : content.split(/\s+/).map(Number);
}
