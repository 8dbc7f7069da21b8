const whitespace = new Set([0x00, 0x09, 0x0a, 0x0c, 0x0d, 0x20]);
const delimiters = new Set([...'()<>[]{}/%'].map((character) => character.charCodeAt(0)));
const [zero, nine] = [0x30, 0x39];
/** More digits than any number of a file needs. */
const mostDigits = 20;

/** White space (ISO 32000-1, table 1). */
export function isWhitespace(byte: number | undefined): boolean {
  return byte !== undefined && whitespace.has(byte);
}

/** Whether a name or keyword ends before this byte, which may lie behind the end of the file. */
export function endsToken(byte: number | undefined): boolean {
  return byte === undefined || whitespace.has(byte) || delimiters.has(byte);
}

/** Where the white space that starts at `offset` ends. */
export function skipWhitespace(bytes: Buffer, offset: number): number {
  let end = offset;
  while (isWhitespace(bytes[end])) end += 1;
  return end;
}

/** An unsigned integer after white space, and where it ends; `null` if there is none. */
export function readInteger(bytes: Buffer, offset: number): { value: number; end: number } | null {
  const start = skipWhitespace(bytes, offset);
  let value = 0;
  let end = start;
  for (let byte = bytes[end]; byte !== undefined && byte >= zero && byte <= nine; byte = bytes[end]) {
    if (end - start === mostDigits) return null;
    value = value * 10 + (byte - zero);
    end += 1;
  }
  return end === start ? null : { value, end };
}

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
