import { PDFArray, PDFContext, PDFDict, PDFName, PDFRawStream, type PDFRef } from 'pdf-lib';
import { shareEqualObjects } from './share-equal-objects.js';

let context: PDFContext;

beforeEach(() => {
  context = PDFContext.create();
});

function stream(content: string, entries: Record<string, PDFRef | string> = {}): PDFRef {
  return context.register(PDFRawStream.of(context.obj(entries), Buffer.from(content)));
}

/** What the list of these leads to afterwards. */
function sharedAmong(...refs: PDFRef[]): (string | undefined)[] {
  const list = context.register(context.obj(refs));
  shareEqualObjects(context);
  return context.lookup(list, PDFArray).asArray().map(String);
}

describe('shareEqualObjects', () => {
  it('keeps one of equal streams, whatever refers to them', () => {
    const [first, other] = sharedAmong(stream('logo'), stream('logo'));
    expect(first).toBe(other);
    expect(context.enumerateIndirectObjects()).toHaveLength(2);
  });

  it('keeps streams apart whose bytes or entries differ', () => {
    const list = sharedAmong(stream('a'), stream('b'), stream('a', { Subtype: 'Image' }));
    expect(new Set(list).size).toBe(3);
  });

  it('finds equal streams whose masks and colour spaces are equal only once theirs are shared', () => {
    const image = () => {
      const profile = context.register(context.obj(['ICCBased', stream('profile')]));
      return stream('pixels', { SMask: stream('mask', { ColorSpace: profile }) });
    };
    const [first, other] = sharedAmong(image(), image());
    expect(first).toBe(other);
    expect(context.enumerateIndirectObjects()).toHaveLength(5);
  });

  it('finds an object that became equal to one that did not change', () => {
    const [kept, repeated] = [stream('font'), stream('font')];
    const [first, other] = sharedAmong(stream('x', { Font: kept }), stream('x', { Font: repeated }));
    expect(first).toBe(other);
  });

  it('never shares what may be told apart: pages, annotations, fields, layers', () => {
    for (const type of ['Page', 'Annot', 'OCG', 'StructElem']) {
      const list = sharedAmong(...[1, 2].map(() => context.register(context.obj({ Type: type }))));
      expect(new Set(list).size).toBe(2);
    }
    const [one, two] = [1, 2].map(() => context.register(context.obj({ FT: 'Tx' })));
    shareEqualObjects(context);
    expect(context.lookup(one, PDFDict).get(PDFName.of('FT'))).toBe(PDFName.of('Tx'));
    expect(context.lookup(two)).toBeDefined();
  });
});
