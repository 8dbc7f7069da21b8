import fc from 'fast-check';
import { partNames } from './part-name.js';

function nameOf(sourceName: string): string | undefined {
  return partNames(sourceName, [{ first: 1, last: 1 }], 1)[0];
}

describe('the name of a part', () => {
  it('is the name of the source with the page, padded so that names sort like pages', () => {
    const parts = [1, 9, 10, 120].map((page) => ({ first: page, last: page }));
    expect(partNames('report.pdf', parts, 120)).toEqual([
      'report-001.pdf',
      'report-009.pdf',
      'report-010.pdf',
      'report-120.pdf',
    ]);
  });

  it('says the first and the last page of a range', () => {
    expect(partNames('report.PDF', [{ first: 2, last: 12 }], 12)).toEqual(['report-02-12.pdf']);
  });

  it('is never given twice', () => {
    const last = { first: 3, last: 3 };
    expect(partNames('a.pdf', [last, last, last], 3)).toEqual(['a-3.pdf', 'a-3_2.pdf', 'a-3_3.pdf']);
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
