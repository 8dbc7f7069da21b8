import fc from 'fast-check';
import { parsePageRange, resolvePageRange } from './page-range.js';

const pageCount = fc.integer({ min: 1, max: 5000 });
const page = fc.integer({ min: 1, max: 999_999_999 });
const signedPage = fc.tuple(page, fc.boolean()).map(([number, fromEnd]) => (fromEnd ? -number : number));

function resolve(text: string, pages: number): string | null {
  const range = parsePageRange(text);
  const resolved = range === null ? null : resolvePageRange(range, pages);
  return resolved === null ? null : `${resolved.first}..${resolved.last}`;
}

describe('a page range', () => {
  it.each([
    ['3', '3..3'],
    ['1-3', '1..3'],
    ['2-2', '2..2'],
    ['4-', '4..6'],
    ['6-', '6..6'],
    ['-1', '6..6'],
    ['-3', '4..4'],
    ['-3--1', '4..6'],
    ['-3-', '4..6'],
    ['2--1', '2..6'],
    ['-6-6', '1..6'],
    ['1--6', '1..1'],
  ])('%s means the pages %s of six', (text, pages) => {
    expect(resolve(text, 6)).toBe(pages);
  });

  it.each([
    '',
    ' ',
    '0',
    '-0',
    '00',
    '01',
    'a-b',
    '3-1',
    '-1--3',
    '1-0',
    '0-1',
    '--1',
    '1--',
    '1---2',
    '-',
    '1-2-3',
    '1,2',
    ' 1',
    '1 - 2',
    '1.5',
    '+1',
    '1e3',
    '１',
    '1\n',
    '1234567890',
  ])('%j is none', (text) => {
    expect(parsePageRange(text)).toBeNull();
  });

  it.each(['7', '-7', '1-7', '7-', '6-7', '-7--1', '-1-1', '4--4', '5-1'])('%s is not in six pages', (text) => {
    expect(resolve(text, 6)).toBeNull();
  });

  it('is read back as it was written', () => {
    fc.assert(
      fc.property(signedPage, signedPage, (first, last) => {
        fc.pre(Math.sign(first) !== Math.sign(last) || first <= last);
        expect(parsePageRange(`${first}-${last}`)).toEqual({ first, last });
        expect(parsePageRange(`${first}-`)).toEqual({ first, last: null });
        expect(parsePageRange(`${first}`)).toEqual({ first, last: first });
      }),
    );
  });

  it('never runs backwards among pages counted from the same end', () => {
    fc.assert(
      fc.property(page, page, (a, b) => {
        fc.pre(a !== b);
        const [low, high] = [Math.min(a, b), Math.max(a, b)];
        expect(parsePageRange(`${high}-${low}`)).toBeNull();
        expect(parsePageRange(`-${low}--${high}`)).toBeNull();
      }),
    );
  });

  it('always resolves to pages of the document, or to nothing', () => {
    fc.assert(
      fc.property(signedPage, fc.option(signedPage), pageCount, (first, last, pages) => {
        const resolved = resolvePageRange({ first, last }, pages);
        if (resolved === null) return;
        expect(resolved.first).toBeGreaterThanOrEqual(1);
        expect(resolved.last).toBeGreaterThanOrEqual(resolved.first);
        expect(resolved.last).toBeLessThanOrEqual(pages);
      }),
    );
  });

  it('means the same page counted from either end', () => {
    fc.assert(
      fc.property(pageCount, fc.double({ min: 0, max: 1, noNaN: true }), (pages, place) => {
        const fromFront = 1 + Math.floor(place * (pages - 1));
        const fromBack = fromFront - pages - 1;
        expect(resolve(String(fromBack), pages)).toBe(resolve(String(fromFront), pages));
      }),
    );
  });

  it('never throws, whatever the text is', () => {
    fc.assert(
      fc.property(
        fc.string({ unit: fc.constantFrom('-', '0', '1', '9', ' ', 'a') }),
        (text) => void parsePageRange(text),
      ),
    );
  });
});
