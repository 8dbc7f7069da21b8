import { skipWhitespace } from './characters.js';
import { readInteger } from './read-integer.js';

/** The start of an indirect object, such as `12 0 obj`, after white space; `null` if there is none. */
export function readObjectHeader(
  bytes: Buffer,
  offset: number,
): { objectNumber: number; generation: number; end: number } | null {
  const objectNumber = readInteger(bytes, offset);
  const generation = objectNumber === null ? null : readInteger(bytes, objectNumber.end);
  if (objectNumber === null || generation === null) return null;
  const keyword = skipWhitespace(bytes, generation.end);
  if (bytes.toString('latin1', keyword, keyword + 3) !== 'obj') return null;
  return { objectNumber: objectNumber.value, generation: generation.value, end: keyword + 3 };
}
