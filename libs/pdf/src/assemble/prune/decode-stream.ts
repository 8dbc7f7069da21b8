import { inflateRawSync } from 'node:zlib';
import type { PDFContext } from 'pdf-lib';
import { decodePDFRawStream, PDFArray, PDFDict, PDFName, PDFNumber, PDFRawStream } from 'pdf-lib';

/** Sound streams have one filter, or two. */
const mostFilters = 4;
/** The header of what is deflated (RFC 1950, 2.2). */
const deflateMethod = 8;
const needsDictionary = 0x20;
const chunkBytes = 65_536;

/** A filter and its parameters (ISO 32000-1, 7.4). */
interface Filter {
  readonly name: PDFName;
  readonly parameters: PDFDict | undefined;
}

/**
 * The decoded bytes of a stream. `null` if they, or what lies between two filters, are more than `mostBytes`, if a filter is unknown, and if anything is
 * damaged: other readers may see more in it, or less.
 */
export function decodeStream(stream: PDFRawStream, mostBytes: number): Uint8Array | null {
  try {
    return filtersOf(stream.dict).reduce<Uint8Array>(
      (bytes, filter) => undo(filter, bytes, { mostBytes, context: stream.dict.context }),
      stream.contents,
    );
  } catch {
    return null;
  }
}

function filtersOf(dict: PDFDict): Filter[] {
  const names = listAt(dict, 'Filter');
  const parameters = listAt(dict, 'DecodeParms');
  if (names.length > mostFilters) throw new Error('A stream has too many filters.');
  return names.map((name, index) => {
    if (!(name instanceof PDFName)) throw new Error('A filter has no name.');
    const own = parameters[index];
    return { name, parameters: own instanceof PDFDict ? own : undefined };
  });
}

function listAt(dict: PDFDict, key: string): unknown[] {
  const value = dict.lookup(PDFName.of(key));
  if (value instanceof PDFArray) return value.asArray().map((_, index) => value.lookup(index));
  return value === undefined ? [] : [value];
}

function undo(
  { name, parameters }: Filter,
  bytes: Uint8Array,
  { mostBytes, context }: { readonly mostBytes: number; readonly context: PDFContext },
): Uint8Array {
  const predictor = parameters?.lookup(PDFName.of('Predictor'));
  if (predictor instanceof PDFNumber && predictor.asNumber() > 1) throw new Error('A content has a predictor.');
  if (name === PDFName.FlateDecode) return inflate(bytes, mostBytes);
  const dict = context.obj({ Filter: name, ...(parameters === undefined ? {} : { DecodeParms: parameters }) });
  return readAll(decodePDFRawStream(PDFRawStream.of(dict, bytes)), mostBytes);
}

/** Without a look at the checksum: its last byte is often taken for the end of a line behind the stream. What is packed has an end of its own. */
function inflate(bytes: Uint8Array, mostBytes: number): Uint8Array {
  const [method = 0, flags = 0] = bytes;
  if ((method & 15) !== deflateMethod || (flags & needsDictionary) !== 0) throw new Error('A stream is not deflated.');
  return inflateRawSync(bytes.subarray(2), { maxOutputLength: mostBytes });
}

/** By chunks, since the library makes room at once for all that it is asked for. */
function readAll(stream: { getBytes(length: number): Uint8Array | Uint8ClampedArray }, mostBytes: number): Uint8Array {
  const chunks: Uint8Array[] = [];
  let length = 0;
  for (;;) {
    const chunk = stream.getBytes(chunkBytes);
    if (chunk.length === 0) return Buffer.concat(chunks);
    length += chunk.length;
    if (length > mostBytes) throw new Error('A stream decodes to more than its bound.');
    chunks.push(Uint8Array.from(chunk));
  }
}
