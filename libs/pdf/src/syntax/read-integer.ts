import { skipWhitespace } from './characters.js';

const [zero, nine] = [0x30, 0x39];
/** More digits than any number of a file needs. */
const mostDigits = 20;

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
