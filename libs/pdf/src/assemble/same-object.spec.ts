import { PDFContext, PDFName, type PDFObject } from 'pdf-lib';
import { isSameObject } from './same-object.js';

type Make = (context: PDFContext) => PDFObject;

/** Whether what two recipes make is the same, in documents of their own whose numbers differ. */
function areSame(one: Make, other: Make): boolean {
  const [left, right] = [PDFContext.create(), PDFContext.create()];
  right.register(right.obj(0));
  return isSameObject({ object: one(left), context: left }, { object: other(right), context: right });
}

const font =
  (base: string, data = 'data'): Make =>
  (context) =>
    context.register(context.obj({ BaseFont: base, File: context.register(context.stream(data)), Widths: [1, 2.5] }));

/** A dictionary that leads back to itself through so many others. */
const ring =
  (length: number): Make =>
  (context) => {
    const refs = Array.from({ length }, () => context.nextRef());
    for (const [index, ref] of refs.entries())
      context.assign(ref, context.obj({ Next: refs[(index + 1) % length] ?? ref }));
    return refs[0] ?? context.obj({});
  };

describe('isSameObject', () => {
  it('compares all that objects lead to, whatever number it has', () => {
    expect(areSame(font('Helvetica'), font('Helvetica'))).toBe(true);
    expect(areSame(font('Helvetica'), font('Courier'))).toBe(false);
    expect(areSame(font('Helvetica'), font('Helvetica', 'DATA'))).toBe(false);
  });

  it('tells apart what has more, and what has another type', () => {
    expect(
      areSame(
        (context) => context.obj([1]),
        (context) => context.obj([1, 2]),
      ),
    ).toBe(false);
    expect(
      areSame(
        (context) => context.obj({ A: 1 }),
        (context) => context.obj({ A: 1, B: 1 }),
      ),
    ).toBe(false);
    expect(
      areSame(
        () => PDFName.of('1'),
        (context) => context.obj(1),
      ),
    ).toBe(false);
  });

  it('ends on what leads back to itself, and on what is too large', () => {
    expect(areSame(ring(3), ring(3))).toBe(true);
    expect(areSame(ring(30_000), ring(30_000))).toBe(false);
  });
});
