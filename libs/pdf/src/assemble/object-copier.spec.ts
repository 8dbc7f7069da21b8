import {
  PDFArray,
  PDFContext,
  PDFDict,
  PDFName,
  PDFNull,
  PDFNumber,
  type PDFObject,
  PDFRawStream,
  PDFRef,
} from 'pdf-lib';
import { ObjectCopier } from './object-copier.js';

let source: PDFContext;
let target: PDFContext;
let copier: ObjectCopier;

beforeEach(() => {
  source = PDFContext.create();
  target = PDFContext.create();
  target.nextRef();
  copier = new ObjectCopier(source, target);
});

function copiedDict(object: PDFObject): PDFDict {
  return target.lookup(copier.copy(object), PDFDict);
}

describe('ObjectCopier', () => {
  it('copies an object once, with all that it leads to, in circles too', () => {
    const below = source.nextRef();
    const above = source.register(source.obj({ Below: below }));
    source.assign(below, source.obj({ Above: above }));
    const copy = copiedDict(above);
    expect(copy.lookup(PDFName.of('Below'), PDFDict).lookup(PDFName.of('Above'))).toBe(copy);
    expect(copier.copy(above)).toBe(copier.copyOf(above));
    expect(copier.made).toHaveLength(2);
  });

  it('copies the dictionary of a stream and keeps its bytes', () => {
    const stream = PDFRawStream.of(source.obj({ Length: 3 }), Buffer.from('abc'));
    const copy = target.lookup(copier.copy(source.register(stream))) as PDFRawStream;
    expect(copy).not.toBe(stream);
    expect(Buffer.from(copy.contents).toString()).toBe('abc');
    expect(copy.dict.context).toBe(target);
  });

  it.each(['Page', 'Pages', 'Catalog', 'Template'])('leads to nothing where a %s is referred to', (type) => {
    const followed = source.register(source.obj({ Type: type, Content: source.register(source.obj([1])) }));
    expect(copiedDict(source.register(source.obj({ Dest: [followed] }))).toString()).toMatch(/\[ null \]/);
    expect(copier.made).toHaveLength(1);
  });

  it('leads to where it was told, and copies what it was told in place of an object', () => {
    const [led, dropped, substituted] = [1, 2, 3].map((value) => source.register(PDFNumber.of(value))) as [
      PDFRef,
      PDFRef,
      PDFRef,
    ];
    copier.lead(led, PDFRef.of(99));
    copier.lead(dropped, null);
    copier.substitute(substituted, source.obj([4]));
    const copy = copier.copy(source.obj([led, dropped, substituted])) as PDFArray;
    expect(copy.get(0)).toBe(PDFRef.of(99));
    expect(copy.get(1)).toBe(PDFNull);
    expect(copy.lookup(2, PDFArray).toString()).toBe('[ 4 ]');
    expect(copier.copyOf(dropped)).toBeUndefined();
  });

  it('leads to nothing where there is nothing', () => {
    expect(copier.copy(PDFRef.of(77))).toBe(PDFNull);
  });

  it('copies chains of any length and refuses nesting of any depth', () => {
    let last = source.register(source.obj({}));
    for (let length = 0; length < 100_000; length += 1) last = source.register(source.obj([last]));
    expect(copier.copy(last)).toBeInstanceOf(PDFRef);
    let nested = source.obj([]);
    for (let depth = 0; depth < 1_000; depth += 1) {
      const outer = source.obj([]);
      outer.push(nested);
      nested = outer;
    }
    expect(() => copier.copy(nested)).toThrow(/nested deeper/);
  });
});
