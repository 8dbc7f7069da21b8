import { constants, inflateSync } from 'node:zlib';
import { decodePDFRawStream, PDFArray, PDFDict, PDFName, PDFRawStream, type PDFStream } from 'pdf-lib';
import { isAllocationFailure } from '../document/guard.js';
import { numberAt } from '../document/read-entry.js';

/** More than any page needs; a stream that inflates to more is made to fill the memory. */
const mostContentBytes = 64 * 2 ** 20;

/** The bytes of streams in a row, as the one content that they are; `null` if one cannot be decoded, or all are too large. */
export function decodeContent(streams: readonly PDFStream[]): Uint8Array | null {
  const parts: Uint8Array[] = [];
  let length = 0;
  for (const stream of streams) {
    const part = stream instanceof PDFRawStream ? decodeStream(stream, mostContentBytes - length) : null;
    if (part === null) return null;
    parts.push(part, newline);
    length += part.length + 1;
  }
  return Buffer.concat(parts);
}

/** Of what is decoded byte by byte. */
const mostSlowBytes = 8 * 2 ** 20;
const newline = Buffer.from('\n');

function decodeStream(stream: PDFRawStream, mostBytes: number): Uint8Array | null {
  if (hasPredictor(stream)) return null;
  const isDeflated = filtersOf(stream).every((filter) => filter === 'FlateDecode');
  const bytes = (isDeflated ? inflateAll(stream, mostBytes) : null) ?? decodeSome(stream);
  return bytes !== null && bytes.length <= mostBytes ? bytes : null;
}

/** `null` for what is damaged, or too large. */
function inflateAll(stream: PDFRawStream, mostBytes: number): Uint8Array | null {
  try {
    return filtersOf(stream).reduce((packed: Uint8Array) => inflate(packed, mostBytes), stream.contents);
  } catch {
    return null;
  }
}

/**
 * As much of a stream as can be decoded, since viewers show a damaged content up to its damage; `null` if it has a filter that is not for
 * content. Slower than what is for sound streams.
 */
function decodeSome(stream: PDFRawStream): Uint8Array | null {
  const bytes: number[] = [];
  let decoder: { getByte(): number } | null = null;
  try {
    decoder = decodePDFRawStream(stream);
    for (let byte = decoder.getByte(); byte !== -1 && bytes.length < mostSlowBytes; byte = decoder.getByte())
      bytes.push(byte);
  } catch (error) {
    if (isAllocationFailure(error)) throw error;
  }
  return decoder === null || bytes.length === mostSlowBytes ? null : Uint8Array.from(bytes);
}

/** What a cut stream still gives is its content, as viewers have it. */
function inflate(packed: Uint8Array, maxOutputLength: number): Uint8Array {
  return inflateSync(packed, { maxOutputLength: Math.max(1, maxOutputLength), finishFlush: constants.Z_SYNC_FLUSH });
}

function filtersOf({ dict }: PDFRawStream): string[] {
  const filter = dict.lookup(PDFName.of('Filter'));
  const filters = filter instanceof PDFArray ? filter.asArray().map((_, index) => filter.lookup(index)) : [filter];
  return filters.flatMap((name) => (name instanceof PDFName ? [longName(name.decodeText())] : []));
}

function longName(filter: string): string {
  return filter === 'Fl' ? 'FlateDecode' : filter;
}

/** Filters of images have them; the library would take their rows for content. */
function hasPredictor({ dict }: PDFRawStream): boolean {
  const parameters = dict.lookup(PDFName.of('DecodeParms'));
  const all =
    parameters instanceof PDFArray ? parameters.asArray().map((_, index) => parameters.lookup(index)) : [parameters];
  return all.some((each) => each instanceof PDFDict && (numberAt(each, 'Predictor') ?? 1) > 1);
}
