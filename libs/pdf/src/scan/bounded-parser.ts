import { constants, inflateRawSync } from 'node:zlib';
import type { PDFContext, PDFHexString, PDFObject, PDFRef, PDFStream } from 'pdf-lib';
import {
  PDFDict,
  PDFHexString as HexString,
  PDFName,
  PDFNumber,
  PDFParser,
  PDFRawStream,
  PDFRef as Ref,
} from 'pdf-lib';
import { skipWhitespace } from '../syntax/characters.js';
import { readInteger } from '../syntax/read-integer.js';
import { readObjectHeader } from '../syntax/read-object-header.js';
import type { ObjectIndex } from './index-objects.js';
import { indexObjects } from './index-objects.js';
import { correctNames } from './read-names.js';
import { revisionStarts } from './revision-starts.js';

/** The largest number of an object that readers have in common (ISO 32000-1, table C.1). */
export const largestObjectNumber = 8_388_607;
/** What all object streams of a document may inflate to. A page of text takes some kilobytes of it. */
export const mostObjectStreamBytes = 64 * 2 ** 20;

const nonHexadecimal = /[^\da-f\0\s]/i;
correctNames();

const trailerKeys = ['Root', 'Encrypt', 'Info', 'ID'];
const zlibHeaderBytes = 2;
const endKeyword = 'endstream';

/** Thrown when the object streams of a document hold more than `mostObjectStreamBytes`. */
export class ObjectStreamsTooLarge extends Error {
  override readonly name = 'ObjectStreamsTooLarge';
}

/**
 * Reads a file as the library does, object after object, but believes no count and no size that the file claims: the entries of
 * cross-reference streams, which the library only counts through, are left out, object streams are inflated within a limit,
 * and the end of a stream is found by its length, wherever that is.
 */
export class BoundedParser extends PDFParser {
  /** Whether a revision had an object twice, one has a number that is too large, or the trailer led to no catalog. */
  hasFaults = false;
  private unreadObjectStreamBytes = mostObjectStreamBytes;
  private tooLarge: ObjectStreamsTooLarge | null = null;
  private lastDict: PDFDict | null = null;
  private objects: ObjectIndex | null = null;
  private readonly revisions = new Map<PDFRef, number>();
  private readonly starts: readonly number[];

  constructor(
    private readonly file: Buffer,
    private readonly isStrict: boolean,
  ) {
    super(file, Number.POSITIVE_INFINITY, isStrict);
    this.starts = revisionStarts(file);
    const { context } = this;
    const assign = context.assign.bind(context);
    const enumerate = context.enumerateIndirectObjects.bind(context);
    context.assign = (ref: PDFRef, object: PDFObject): void => {
      const revision = this.revisionAt(this.bytes.offset());
      this.hasFaults ||= this.revisions.get(ref) === revision || ref.objectNumber > largestObjectNumber;
      this.revisions.set(ref, revision);
      assign(ref, object);
    };
    // While it reads, the library asks for all objects only to find a catalog among them.
    context.enumerateIndirectObjects = () => {
      this.hasFaults = true;
      return enumerate();
    };
  }

  /** The library goes on after an object that it cannot read; a limit ends the parsing all the same. */
  override async parseDocument(): Promise<PDFContext> {
    try {
      const context = await super.parseDocument();
      if (this.tooLarge !== null) throw this.tooLarge;
      for (const watched of ['assign', 'enumerateIndirectObjects']) Reflect.deleteProperty(context, watched);
      return context;
    } catch (error) {
      throw this.tooLarge ?? error;
    }
  }

  /** The library writes a string as it was read, so what is no digit would spoil its outputs. */
  protected override parseHexString(): PDFHexString {
    const string = super.parseHexString();
    const digits = string.toString().slice(1, -1);
    if (!nonHexadecimal.test(digits)) return string;
    if (this.isStrict) throw new Error('A hexadecimal string has other characters.');
    return HexString.of(digits.replaceAll(new RegExp(nonHexadecimal, 'g'), ''));
  }

  /** A reference of which a number is not whole would be written as what is none. */
  protected override parseNumberOrRef(): PDFNumber | PDFRef {
    const value = super.parseNumberOrRef();
    if (!(value instanceof Ref) || [value.objectNumber, value.generationNumber].every(isObjectNumber)) return value;
    if (this.isStrict) throw new Error('A reference has numbers that no object has.');
    return Ref.of(0);
  }

  protected override parseDict(): PDFDict {
    this.lastDict = super.parseDict();
    return this.lastDict;
  }

  protected override parseDictOrStream(): PDFDict | PDFStream {
    const object = super.parseDictOrStream();
    if (!(object instanceof PDFRawStream)) return object;
    const type = object.dict.lookup(PDFName.of('Type'));
    if (type === PDFName.of('XRef')) return this.trailerOf(object.dict);
    return type === PDFName.of('ObjStm') ? this.inflated(object) : object;
  }

  /** Called for a stream whose dictionary gives no length that leads to its end. */
  protected override findEndOfStreamFallback(startPos: ReturnType<typeof this.bytes.position>): number {
    const start = this.bytes.offset();
    const length = this.indirectLength();
    const end = length === null ? start : start + length;
    const keyword = this.file.indexOf(endKeyword, end);
    if (length !== null && keyword !== -1 && skipWhitespace(this.file, end) === keyword) {
      this.bytes.moveTo(keyword + endKeyword.length);
      return end;
    }
    const first = this.file.indexOf(endKeyword, start);
    if (first === -1) return super.findEndOfStreamFallback(startPos);
    this.bytes.moveTo(first + endKeyword.length);
    return withoutLineEnd(this.file, start, first);
  }

  /** The number of the revision that an object belongs to, which may be one in an object stream that was just read. */
  private revisionAt(offset: number): number {
    let revision = this.starts.length;
    while (revision > 0 && offset <= (this.starts[revision - 1] ?? 0)) revision -= 1;
    return revision;
  }

  private indirectLength(): number | null {
    const length = this.lastDict?.get(PDFName.of('Length'));
    if (!(length instanceof Ref)) return null;
    const read = this.context.lookup(length);
    if (read instanceof PDFNumber) return read.asNumber();
    this.objects ??= indexObjects(this.file);
    const offset = this.objects.get(`${length.objectNumber} ${length.generationNumber}`);
    const header = offset === undefined ? null : readObjectHeader(this.file, offset);
    return header === null ? null : (readInteger(this.file, header.end)?.value ?? null);
  }

  private trailerOf(dict: PDFDict): PDFRawStream {
    const trailer = this.context.obj({ Type: 'XRef', Size: 0, W: [0, 0, 0] });
    for (const key of trailerKeys.map((name) => PDFName.of(name))) {
      const value = dict.get(key) ?? this.context.trailerInfo[key.decodeText() as 'Root'];
      if (value !== undefined) trailer.set(key, value);
    }
    return PDFRawStream.of(trailer, new Uint8Array());
  }

  private inflated({ dict, contents }: PDFRawStream): PDFRawStream {
    const bytes = this.inflate(dict, contents);
    this.unreadObjectStreamBytes -= bytes.length;
    const plain = dict.clone();
    plain.delete(PDFName.of('Filter'));
    return PDFRawStream.of(plain, bytes);
  }

  private inflate(dict: PDFDict, contents: Uint8Array): Uint8Array {
    const filter = dict.lookup(PDFName.of('Filter'));
    if (filter !== undefined && (filter !== PDFName.of('FlateDecode') || usesPredictor(dict)))
      throw new Error('An object stream has a filter that is not read here.');
    if (contents.length > this.unreadObjectStreamBytes) throw this.refuse();
    if (filter === undefined) return contents;
    try {
      return inflateRawSync(contents.subarray(zlibHeaderBytes), {
        maxOutputLength: Math.max(1, this.unreadObjectStreamBytes),
        finishFlush: constants.Z_SYNC_FLUSH,
      });
    } catch (error) {
      throw (error as NodeJS.ErrnoException).code === 'ERR_BUFFER_TOO_LARGE' ? this.refuse() : error;
    }
  }

  private refuse(): ObjectStreamsTooLarge {
    this.tooLarge = new ObjectStreamsTooLarge();
    return this.tooLarge;
  }
}

function isObjectNumber(value: number): boolean {
  return Number.isInteger(value) && value >= 0 && value <= largestObjectNumber;
}

function usesPredictor(dict: PDFDict): boolean {
  const parameters = dict.lookup(PDFName.of('DecodeParms'));
  if (parameters === undefined) return false;
  const predictor = parameters instanceof PDFDict ? parameters.lookup(PDFName.of('Predictor')) : null;
  return !(predictor === undefined || (predictor instanceof PDFNumber && predictor.asNumber() === 1));
}

/** The line end before `endstream` is no part of the stream. */
function withoutLineEnd(bytes: Buffer, start: number, end: number): number {
  const lineEnd = ['\r\n', '\n', '\r'].find((text) => bytes.toString('latin1', end - text.length, end) === text) ?? '';
  return Math.max(start, end - lineEnd.length);
}
