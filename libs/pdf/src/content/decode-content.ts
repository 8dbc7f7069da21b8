import { inflateSync } from 'node:zlib';
import { constants } from 'node:zlib';
import { decodePDFRawStream, PDFArray, PDFDict, PDFName, PDFRawStream, type PDFStream } from 'pdf-lib';

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

const newline = Buffer.from('\n');

function decodeStream(stream: PDFRawStream, mostBytes: number): Uint8Array | null {
  try {
    const filters = filtersOf(stream);
    const bytes =
      filters.every((filter) => filter === 'FlateDecode') && !hasParameters(stream)
        ? filters.reduce((packed: Uint8Array) => inflate(packed, mostBytes), stream.contents)
        : decodePDFRawStream(stream).decode();
    return bytes.length <= mostBytes ? bytes : null;
  } catch {
    return null;
  }
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

function hasParameters({ dict }: PDFRawStream): boolean {
  const parameters = dict.lookup(PDFName.of('DecodeParms'));
  return parameters instanceof PDFDict || parameters instanceof PDFArray;
}
