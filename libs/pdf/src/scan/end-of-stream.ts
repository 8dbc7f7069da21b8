import { skipWhitespace } from '../syntax/characters.js';

const keyword = 'endstream';

/** Where the content of a stream ends, and where the keyword behind it does. */
export interface EndOfStream {
  readonly end: number;
  readonly keywordEnd: number;
}

/** Finds the end of the stream that starts here: by its length if that leads to it, by the next keyword otherwise; `null` if there is none. */
export function endOfStream(file: Buffer, start: number, length: number | null): EndOfStream | null {
  const end = start + (length ?? 0);
  const expected = file.indexOf(keyword, end);
  if (length !== null && expected !== -1 && skipWhitespace(file, end) === expected)
    return { end, keywordEnd: expected + keyword.length };
  const first = file.indexOf(keyword, start);
  return first === -1 ? null : { end: withoutLineEnd(file, start, first), keywordEnd: first + keyword.length };
}

/** The line end before `endstream` is no part of the stream. */
function withoutLineEnd(bytes: Buffer, start: number, end: number): number {
  const lineEnd = ['\r\n', '\n', '\r'].find((text) => bytes.toString('latin1', end - text.length, end) === text) ?? '';
  return Math.max(start, end - lineEnd.length);
}
