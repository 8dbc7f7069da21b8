import { constants, inflateRawSync, inflateSync } from 'node:zlib';
import type { PDFContext } from 'pdf-lib';
import { decodePDFRawStream, PDFArray, PDFDict, PDFName, PDFNull, PDFRawStream } from 'pdf-lib';
import { isAllocationFailure } from '../document/failure/allocation-failure.js';
import { numberAt } from '../document/objects/read-entry.js';

/** How a stream is decoded. */
export interface Decoding {
  /** What it, and what lies between two of its filters, may have at most. */
  readonly mostBytes: number;
  /**
   * `refuse` what is damaged, where other readers may see more in it, or less; `keep` as much of it as can be decoded, since viewers show a damaged content
   * up to its damage.
   */
  readonly damaged: 'refuse' | 'keep';
}

/** Sound streams have one filter, or two. */
const mostFilters = 4;
/** Of what is decoded byte by byte where what is damaged is kept: it takes long. */
const mostSlowBytes = 8 * 2 ** 20;
/** The header of what is deflated (RFC 1950, 2.2). */
const deflateMethod = 8;
const needsDictionary = 0x20;
const firstRoomBytes = 65_536;

/** A filter and its parameters (ISO 32000-1, 7.4). */
interface Filter {
  readonly name: PDFName;
  readonly parameters: PDFDict | undefined;
}

class TooLarge extends Error {
  override readonly name = 'TooLarge';
}

/** The decoded bytes of a stream. `null` if they are too many, if a filter is not for contents, or has a predictor, and for what is damaged as it is asked. */
export function decodeStream({ dict, contents }: PDFRawStream, decoding: Decoding): Uint8Array | null {
  try {
    const bytes = filtersOf(dict).reduce((packed, filter) => undo(filter, packed, dict.context, decoding), contents);
    return bytes.length <= decoding.mostBytes ? bytes : null;
  } catch (error) {
    if (isAllocationFailure(error)) throw error;
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
    return { name: longName(name), parameters: own instanceof PDFDict ? own : undefined };
  });
}

function longName(name: PDFName): PDFName {
  return name === PDFName.of('Fl') ? PDFName.FlateDecode : name;
}

function listAt(dict: PDFDict, key: string): unknown[] {
  const value = dict.lookup(PDFName.of(key));
  if (value instanceof PDFArray) return value.asArray().map((_, index) => value.lookup(index));
  return value === undefined || value === PDFNull ? [] : [value];
}

function undo(filter: Filter, bytes: Uint8Array, context: PDFContext, decoding: Decoding): Uint8Array {
  if (hasPredictor(filter)) throw new Error('A content has a predictor.');
  if (filter.name !== PDFName.FlateDecode) return undoSlowly(filter, bytes, context, decoding);
  if (decoding.damaged === 'refuse') return inflateSound(bytes, decoding.mostBytes);
  try {
    return inflateCut(bytes, decoding.mostBytes);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ERR_BUFFER_TOO_LARGE' || isAllocationFailure(error)) throw error;
    return undoSlowly(filter, bytes, context, decoding);
  }
}

/** Filters of images have them; the library would take their rows for content. */
function hasPredictor({ parameters }: Filter): boolean {
  return (numberAt(parameters, 'Predictor') ?? 1) > 1;
}

/** Without a look at the checksum: its last byte is often taken for the end of a line behind the stream. What is packed has an end of its own. */
function inflateSound(bytes: Uint8Array, mostBytes: number): Uint8Array {
  const [method = 0, flags = 0] = bytes;
  if ((method & 15) !== deflateMethod || (flags & needsDictionary) !== 0) throw new Error('A stream is not deflated.');
  return inflateRawSync(bytes.subarray(2), { maxOutputLength: mostBytes });
}

/** What a cut stream still gives is its content, as viewers have it. */
function inflateCut(bytes: Uint8Array, mostBytes: number): Uint8Array {
  return inflateSync(bytes, { maxOutputLength: Math.max(1, mostBytes), finishFlush: constants.Z_SYNC_FLUSH });
}

function undoSlowly(
  { name, parameters }: Filter,
  bytes: Uint8Array,
  context: PDFContext,
  { mostBytes, damaged }: Decoding,
): Uint8Array {
  const dict = context.obj({ Filter: name, ...(parameters === undefined ? {} : { DecodeParms: parameters }) });
  const most = damaged === 'refuse' ? mostBytes : Math.min(mostBytes, mostSlowBytes);
  return readAll(decodePDFRawStream(PDFRawStream.of(dict, bytes)), { mostBytes: most, damaged });
}

/** Byte by byte, since the library gives nothing of what it decoded together with what is damaged. */
function readAll(decoder: { getByte(): number }, { mostBytes, damaged }: Decoding): Uint8Array {
  let room = new Uint8Array(firstRoomBytes);
  let length = 0;
  try {
    for (let byte = decoder.getByte(); byte !== -1; byte = decoder.getByte()) {
      if (length === mostBytes) throw new TooLarge('A stream decodes to more than its bound.');
      if (length === room.length) room = doubled(room);
      room[length] = byte;
      length += 1;
    }
  } catch (error) {
    if (damaged === 'refuse' || error instanceof TooLarge || isAllocationFailure(error)) throw error;
  }
  return room.subarray(0, length);
}

function doubled(bytes: Uint8Array): Uint8Array<ArrayBuffer> {
  const room = new Uint8Array(2 * bytes.length);
  room.set(bytes);
  return room;
}
