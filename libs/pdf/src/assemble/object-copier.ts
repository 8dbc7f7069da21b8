import type { PDFContext, PDFObject } from 'pdf-lib';
import { PDFArray, PDFDict, PDFInvalidObject, PDFName, PDFNull, PDFRawStream, PDFRef, PDFStream } from 'pdf-lib';

/** Nesting of arrays and dictionaries in one object; sound documents stay far below it. */
const mostDepth = 500;

const typeKey = PDFName.of('Type');
/** These lead to whole documents: they are copied by who wants them, never because something refers to them. */
const neverFollowed: readonly (PDFObject | undefined)[] = ['Page', 'Pages', 'Catalog', 'Template'].map((type) =>
  PDFName.of(type),
);

/** Says what is copied in place of a dictionary of the source, which it leaves as it is: itself, another one, or nothing. */
export type RewriteDict = (dict: PDFDict) => PDFDict | typeof PDFNull;

/**
 * Copies objects of one document into another, each once, with all they refer to. Pages are not followed: what refers to one leads to the page
 * that `lead` named for it, or to nothing.
 */
export class ObjectCopier {
  /** The references in the target that were made, in the order of their making. */
  readonly made: PDFRef[] = [];
  private readonly copies = new Map<PDFRef, PDFRef | typeof PDFNull>();
  private readonly substitutes = new Map<PDFRef, PDFObject>();
  private readonly rules: RewriteDict[] = [];
  private readonly leftOut: ((ref: PDFRef) => boolean)[] = [];
  private readonly waiting: (readonly [PDFObject, PDFRef])[] = [];

  constructor(
    private readonly source: PDFContext,
    private readonly target: PDFContext,
  ) {}

  /** What refers to `ref` in the source leads to `copy` in the target; with `null` to nothing. Must come before the first copy that meets it. */
  lead(ref: PDFRef, copy: PDFRef | null): void {
    this.copies.set(ref, copy ?? PDFNull);
  }

  /** Has `object`, an object of the source's context, copied in place of the one that `ref` stands for. Must come before the first copy that meets it. */
  substitute(ref: PDFRef, object: PDFObject): void {
    this.substitutes.set(ref, object);
  }

  /** Has each dictionary that is met rewritten, once, before it is copied. Must come before the first copy. */
  rewrite(rule: RewriteDict): void {
    this.rules.push(rule);
  }

  /** What refers to something that is left out leads to nothing, unless `lead` named a copy. Must come before the first copy that meets it. */
  leaveOut(isLeftOut: (ref: PDFRef) => boolean): void {
    this.leftOut.push(isLeftOut);
  }

  /** The copy of an indirect object, if there is one and it is not nothing. */
  copyOf(ref: PDFRef): PDFRef | undefined {
    const copy = this.copies.get(ref);
    return copy instanceof PDFRef ? copy : undefined;
  }

  /** @throws an Error when the object is nested deeper than any sound one */
  copy(object: PDFObject): PDFObject {
    const copy = this.copyDirect(object, 0);
    for (let next = this.waiting.pop(); next !== undefined; next = this.waiting.pop()) {
      const [original, made] = next;
      this.target.assign(made, this.copyValue(original, 0));
    }
    return copy;
  }

  private copyDirect(object: PDFObject, depth: number): PDFObject {
    return this.copyValue(this.rewritten(object), depth);
  }

  private copyValue(object: PDFObject, depth: number): PDFObject {
    if (depth > mostDepth) throw new Error(`An object is nested deeper than ${mostDepth} levels.`);
    if (object instanceof PDFRef) return this.copyRef(object);
    if (object instanceof PDFDict) return this.copyDict(object, depth);
    if (object instanceof PDFArray) return this.copyArray(object, depth);
    if (object instanceof PDFRawStream) return PDFRawStream.of(this.copyDict(object.dict, depth), object.contents);
    if (object instanceof PDFStream) throw new Error('A stream that was not read from a file cannot be copied.');
    return object;
  }

  private copyRef(ref: PDFRef): PDFObject {
    const known = this.copies.get(ref);
    if (known !== undefined) return known;
    const original = this.isLeftOut(ref) ? PDFNull : this.rewritten(this.read(ref));
    if (!isCopied(original)) {
      this.copies.set(ref, PDFNull);
      return PDFNull;
    }
    const copy = this.target.nextRef();
    this.copies.set(ref, copy);
    this.made.push(copy);
    this.waiting.push([original, copy]);
    return copy;
  }

  private isLeftOut(ref: PDFRef): boolean {
    return this.leftOut.some((isLeftOut) => isLeftOut(ref));
  }

  private copyDict(dict: PDFDict, depth: number): PDFDict {
    const copy = this.target.obj({});
    for (const [key, value] of dict.entries()) {
      const entry = this.copyDirect(value, depth + 1);
      if (entry !== PDFNull) copy.set(key, entry);
    }
    return copy;
  }

  private copyArray(array: PDFArray, depth: number): PDFArray {
    const copy = this.target.obj([]);
    for (const value of array.asArray()) copy.push(this.copyDirect(value, depth + 1));
    return copy;
  }

  private read(ref: PDFRef): PDFObject {
    return this.substitutes.get(ref) ?? this.source.lookup(ref) ?? PDFNull;
  }

  private rewritten(object: PDFObject): PDFObject {
    let result = object;
    for (const rule of this.rules) if (result instanceof PDFDict) result = rule(result);
    return result;
  }
}

function isCopied(object: PDFObject): boolean {
  if (object === PDFNull || object instanceof PDFInvalidObject) return false;
  return !(object instanceof PDFDict && neverFollowed.includes(object.get(typeKey)));
}
