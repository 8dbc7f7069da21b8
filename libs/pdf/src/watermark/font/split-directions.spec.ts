import { splitDirections } from './split-directions.js';

/** A line as it is seen: what runs from right to left is turned round. */
function seen(line: string): string {
  return splitDirections(line)
    .map(({ text, direction }) => (direction === 'rtl' ? [...text].reverse().join('') : text))
    .join('');
}

describe('splitDirections', () => {
  it('leaves a line of one direction whole', () => {
    expect(splitDirections('Draft 2026-11')).toEqual([{ text: 'Draft 2026-11', direction: 'ltr' }]);
    expect(splitDirections('שלום')).toEqual([{ text: 'שלום', direction: 'rtl' }]);
    expect(splitDirections('')).toEqual([]);
  });

  it.each([
    ['digits within Hebrew', 'אבג 2026', '2026 גבא'],
    ['a date within Arabic', 'سري 2026', '2026 يرس'],
    ['a Latin word within Hebrew', 'אב abc גד', 'דג abc בא'],
    ['Hebrew within Latin', 'abc אבג def', 'abc גבא def'],
  ])('keeps the order of %s', (_what, line, expected) => {
    expect(seen(line)).toBe(expected);
  });

  it('mirrors the brackets of what runs from right to left', () => {
    expect(seen('אב (גד)')).toBe('(דג) בא');
    expect(seen('ab (cd)')).toBe('ab (cd)');
  });
});
