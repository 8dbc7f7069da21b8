import { isWhitespace, skipWhitespace } from '../syntax/characters.js';
import type { ContentLexer } from './content-lexer.js';

/** What an inline image says of itself: the entries of its dictionary (ISO 32000-1, table 93), short or long, each with the text of its value. */
type ImageEntries = ReadonlyMap<string, string>;

const [letterE, letterI] = Buffer.from('EI');
/** What looks like the end of the data is it if so many of the next bytes look like content. */
const lookAheadBytes = 12;
/** No sound dictionary of an image has so many names and values. */
const mostEntries = 1_000;
/** One stands between the data and `EI`, and some writers add a line end. */
const mostBlanksBeforeEnd = 16;
const componentsOf: Readonly<Record<string, number>> = {
  G: 1,
  DeviceGray: 1,
  RGB: 3,
  DeviceRGB: 3,
  CMYK: 4,
  DeviceCMYK: 4,
};

/** What was read of an inline image: the names in its dictionary, and where its data lie. */
export interface InlineImage {
  readonly names: readonly string[];
  readonly data: readonly [number, number];
  /** Whether its dictionary could be read. */
  readonly isSound: boolean;
}

/** Reads from behind `BI` to behind `EI`. `null` if there is no end, and all was read. */
export function skipInlineImage(lexer: ContentLexer): InlineImage | null {
  const dictionary = readDictionary(lexer);
  if (dictionary === null) return null;
  const { names, entries, isSound } = dictionary;
  const from = lexer.end + 1;
  const end = endOfData(lexer.bytes, from, plainLength(entries));
  lexer.end = end ?? lexer.bytes.length;
  return end === null ? null : { names, data: [from, end], isSound };
}

/** Reads to behind `ID`; `null` if there is none. */
function readDictionary(lexer: ContentLexer): (Omit<InlineImage, 'data'> & { readonly entries: ImageEntries }) | null {
  const names: string[] = [];
  const entries = new Map<string, string>();
  let key: string | null = null;
  let isSound = true;
  for (let kind = lexer.next(); !(kind === 'word' && lexer.text() === 'ID'); kind = lexer.next()) {
    if (kind === 'end') return null;
    isSound &&= kind !== 'broken' && names.length + entries.size < mostEntries;
    if (!isSound) continue;
    const text = lexer.text();
    if (kind === 'name') names.push(text);
    if (key !== null) entries.set(key, text);
    key = key === null ? text : null;
  }
  return { names, entries, isSound };
}

/** Behind the `EI` that ends the data: where their length says, or else at the first that looks like it. */
function endOfData(bytes: Uint8Array, from: number, length: number | null): number | null {
  return (length === null ? null : endAfter(bytes, from + length)) ?? findEnd(bytes, from);
}

function endAfter(bytes: Uint8Array, from: number): number | null {
  const at = skipWhitespace(bytes.subarray(0, from + mostBlanksBeforeEnd + 1), from);
  return at - from <= mostBlanksBeforeEnd && isEndMark(bytes, at) ? at + 2 : null;
}

function findEnd(bytes: Uint8Array, from: number): number | null {
  for (let at = bytes.indexOf(letterE ?? 0, from); at !== -1; at = bytes.indexOf(letterE ?? 0, at + 1)) {
    if (isWhitespace(bytes[at - 1]) && isEndMark(bytes, at) && looksLikeContent(bytes, at + 2)) return at + 2;
  }
  return null;
}

function isEndMark(bytes: Uint8Array, at: number): boolean {
  return bytes[at] === letterE && bytes[at + 1] === letterI && (at + 2 >= bytes.length || isWhitespace(bytes[at + 2]));
}

function looksLikeContent(bytes: Uint8Array, from: number): boolean {
  return bytes
    .subarray(from, from + lookAheadBytes)
    .every((byte) => isWhitespace(byte) || (byte > 0x20 && byte < 0x7f));
}

/** The length of data that no filter packs; `null` if it is not known. */
function plainLength(entries: ImageEntries): number | null {
  const entry = (short: string, long: string): string | undefined => entries.get(short) ?? entries.get(long);
  if (entry('F', 'Filter') !== undefined) return null;
  const [width, height] = [Number(entry('W', 'Width')), Number(entry('H', 'Height'))];
  const isMask = entry('IM', 'ImageMask') === 'true';
  const components = isMask ? 1 : componentsOf[entry('CS', 'ColorSpace') ?? ''];
  const bits = isMask ? 1 : Number(entry('BPC', 'BitsPerComponent'));
  const length = Math.ceil((width * (components ?? Number.NaN) * bits) / 8) * height;
  return Number.isSafeInteger(length) && length >= 0 ? length : null;
}
