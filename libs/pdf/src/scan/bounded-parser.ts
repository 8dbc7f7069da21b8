import type { PDFContext, PDFDict, PDFHexString, PDFObject, PDFRef, PDFStream } from 'pdf-lib';
import { PDFHexString as HexString, PDFName, PDFNumber, PDFParser, PDFRawStream, PDFRef as Ref } from 'pdf-lib';
import { isAllocationFailure } from '../document/failure/allocation-failure.js';
import { readInteger } from '../syntax/read-integer.js';
import { readObjectHeader } from '../syntax/read-object-header.js';
import { endOfStream } from './end-of-stream.js';
import type { ObjectIndex } from './index-objects.js';
import { indexObjects } from './index-objects.js';
import { inflateObjectStream, mostObjectStreamBytes, ObjectStreamsTooLarge } from './inflate-object-stream.js';
import { crossReferencesOf, lastObjectsCount } from './revisions.js';

/** The largest number of an object that readers have in common (ISO 32000-1, table C.1). */
export const largestObjectNumber = 8_388_607;

const nonHexadecimal = /[^\da-f\0\s]/i;
const trailerKeys = ['Root', 'Encrypt', 'Info', 'ID'];

/**
 * Reads a file as the library does, object after object, but believes no count and no size that the file claims: the entries of
 * cross-reference streams, which the library only counts through, are left out, object streams are inflated within a limit,
 * and the end of a stream is found by its length, wherever that is.
 */
export class BoundedParser extends PDFParser {
  /** Whether an object was read twice, or was deleted or replaced, one has a number that is too large, or the trailer led to no catalog. */
  hasFaults = false;
  private unreadObjectStreamBytes = mostObjectStreamBytes;
  /** What ends the parsing whatever the library does about it. */
  private end: Error | null = null;
  private lastDict: PDFDict | null = null;
  private objects: ObjectIndex | null = null;

  constructor(
    private readonly file: Buffer,
    private readonly isStrict: boolean,
  ) {
    super(file, Number.POSITIVE_INFINITY, isStrict);
    const crossReferences = isStrict ? crossReferencesOf(file) : [];
    const isRevised = crossReferences.length > 1;
    const lastCounts = isRevised && lastObjectsCount(file, crossReferences);
    this.hasFaults = isRevised && !lastCounts;
    const { context } = this;
    const assign = context.assign.bind(context);
    const enumerate = context.enumerateIndirectObjects.bind(context);
    context.assign = (ref: PDFRef, object: PDFObject): void => {
      const isRepeated = !lastCounts && context.lookup(ref) !== undefined;
      this.hasFaults ||= isRepeated || ref.objectNumber > largestObjectNumber;
      assign(ref, object);
    };
    // While it reads, the library asks for all objects only to find a catalog among them.
    context.enumerateIndirectObjects = () => {
      this.hasFaults = true;
      return enumerate();
    };
  }

  /** The library goes on after an object that it cannot read; a limit, or memory that was refused, ends the parsing all the same. */
  override async parseDocument(): Promise<PDFContext> {
    try {
      const context = await super.parseDocument();
      if (this.end !== null) throw this.end;
      for (const watched of ['assign', 'enumerateIndirectObjects']) Reflect.deleteProperty(context, watched);
      return context;
    } catch (error) {
      throw this.end ?? error;
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
    const found = endOfStream(this.file, this.bytes.offset(), this.indirectLength());
    if (found === null) return super.findEndOfStreamFallback(startPos);
    this.bytes.moveTo(found.keywordEnd);
    return found.end;
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

  private inflated(stream: PDFRawStream): PDFRawStream {
    try {
      const plain = inflateObjectStream(stream, this.unreadObjectStreamBytes);
      this.unreadObjectStreamBytes -= plain.contents.length;
      return plain;
    } catch (error) {
      if (isAllocationFailure(error) || error instanceof ObjectStreamsTooLarge) this.end = error;
      throw error;
    }
  }
}

function isObjectNumber(value: number): boolean {
  return Number.isInteger(value) && value >= 0 && value <= largestObjectNumber;
}
