import fc from 'fast-check';
import type { ContentBalance } from './measure-balance.js';
import { measureBalance } from './measure-balance.js';

function measure(content: string): ContentBalance {
  return measureBalance(Buffer.from(content, 'latin1'));
}

const balanced: ContentBalance = { openStates: 0, openMarks: 0, isInText: false, surplus: [], unendedAt: null };

describe('the balance of a content', () => {
  it.each([
    '',
    'q 1 0 0 1 5 5 cm Q',
    'q\nq\rQ Q',
    'BT /F 1 Tf (q) Tj ET',
    '/P <</MCID 0>> BDC q Q EMC',
    '[(q)-20(Q)]TJ',
    '% q\nq Q',
    '(\\)q (q) \\( q)Tj',
    '<71> Tj /P <</A<71>/B(q)>>BDC EMC QQQ qq',
    '/q gs /Q gs',
    'BI /W 1 ID q q q\nEI q Q',
    'q BI /W 1 ID \x00 EI\x01 q\nEI Q',
    'BI /W 8 /H 1 /BPC 8 /CS /G ID \nEI q q\nEI q Q',
    'BI /W 1 ) /H 1 ID q q\nEI q Q',
    ') q ) Q',
  ])('finds nothing open in %j', (content) => {
    expect(measure(content)).toEqual(balanced);
  });

  it.each([
    ['q q Q', { openStates: 1 }],
    ['q(', { openStates: 1, unendedAt: 1 }],
    ['q<', { openStates: 1, unendedAt: 1 }],
    ['q BI /W 1 ID q q q', { openStates: 1 }],
    ['BT', { isInText: true }],
    ['/A BMC /OC /L BDC EMC', { openMarks: 1 }],
    ['EMC EMC /A BMC', { openMarks: 1 }],
    ['Q q Q Q', { surplus: [0, 6] }],
    ['q (a) Tj <ab', { openStates: 1, unendedAt: 9 }],
  ])('finds what %j leaves', (content, expected) => {
    expect(measure(content)).toEqual({ ...balanced, ...expected });
  });

  it('ends, and finds each surplus where it is, whatever the bytes are', () => {
    const words = fc.constantFrom(
      'q',
      'Q',
      'BT',
      'ET',
      'BMC',
      'EMC',
      'BI',
      'ID',
      'EI',
      '(',
      ')',
      '<',
      '>',
      '%',
      '\\',
      '\n',
      '/',
    );
    fc.assert(
      fc.property(fc.array(words, { maxLength: 60 }), (parts) => {
        const content = parts.join(' ');
        for (const at of measure(content).surplus) expect(content[at]).toBe('Q');
      }),
    );
    fc.assert(fc.property(fc.uint8Array({ maxLength: 200 }), (bytes) => void measureBalance(bytes)));
  });
});
