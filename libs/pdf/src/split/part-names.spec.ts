import fc from 'fast-check';
import { PartNames } from './part-names.js';

/** The names of parts with these 1-based pages. */
function namesOf(sourceName: string, pageCount: number, parts: readonly (readonly number[])[]): string[] {
  const names = new PartNames(sourceName, pageCount);
  return parts.map((pages) => names.take({ pages: pages.map((page) => page - 1), title: null }));
}

function titledName(title: string): string {
  return new PartNames('book.pdf', 20).take({ pages: [2, 3], title });
}

function nameOf(sourceName: string): string | undefined {
  return namesOf(sourceName, 1, [[1]])[0];
}

describe('the name of a part', () => {
  it('is the name of the source with the page, padded so that names sort like pages', () => {
    expect(namesOf('report.pdf', 120, [[1], [9], [10], [120]])).toEqual([
      'report-001.pdf',
      'report-009.pdf',
      'report-010.pdf',
      'report-120.pdf',
    ]);
  });

  it.each([
    [[2, 3, 4], '02-04'],
    [[4, 3, 2], '04-02'],
    [[1, 2, 7], '01-02,07'],
    [[3, 3], '03,03'],
    [[1, 2, 1], '01-02,01'],
    [[5, 7, 9, 11], '05,07,09,11'],
    [[5, 7, 9, 11, 1, 2], '05,07,09,11,etc'],
  ])('spells the pages %j as the selection %s', (pages, spelled) => {
    expect(namesOf('report.PDF', 12, [pages])).toEqual([`report-${spelled}.pdf`]);
  });

  it('ends with the title of its chapter, without what no file name can have', () => {
    expect(titledName('1. On birds')).toBe('book-03-04-1. On birds.pdf');
    expect(titledName(' a/b\n\u202ec: ')).toBe('book-03-04-ab c.pdf');
    expect(titledName('../..')).toBe('book-03-04.pdf');
    expect(titledName('x'.repeat(500))).toBe(`book-03-04-${'x'.repeat(60)}.pdf`);
  });

  it('is never given twice', () => {
    expect(namesOf('a.pdf', 3, [[3], [3], [3]])).toEqual(['a-3.pdf', 'a-3_2.pdf', 'a-3_3.pdf']);
  });

  it.each([
    ['../../etc/passwd', 'passwd-1.pdf'],
    ['C:\\files\\bill.pdf', 'bill-1.pdf'],
    ['.pdf', 'document-1.pdf'],
    ['', 'document-1.pdf'],
    ['..', 'document-1.pdf'],
    ['a\u0000b\r\n"<c>.pdf', 'abc-1.pdf'],
    ['annexe\u202Efdp.exe', 'annexefdp.exe-1.pdf'],
    ['R\u00e9sum\u00e9 \u6f22\u5b57.pdf', 'R\u00e9sum\u00e9 \u6f22\u5b57-1.pdf'],
    ['x\ud800y.pdf', 'x\ufffdy-1.pdf'],
  ])('of %j is %j', (sourceName, partName) => {
    expect(nameOf(sourceName)).toBe(partName);
  });

  it('is always a short plain file name', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary', maxLength: 400 }), (sourceName) => {
        const name = nameOf(sourceName) ?? '';
        expect(name).toMatch(/^[^/\\\u0000-\u001f"]+-1\.pdf$/u);
        expect([...name].length).toBeLessThanOrEqual(106);
        expect(name.startsWith('.')).toBe(false);
      }),
    );
  });
});
