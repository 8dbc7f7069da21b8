import fc from 'fast-check';
import { findNames } from './find-names.js';

/** What a content names, as `Font F1` and so on, or `null` when it is not clear. */
function namesIn(content: string): string[] | null {
  const used = findNames(Buffer.from(content, 'latin1'));
  return used === null ? null : [...used.entries()].map((entry) => entry.join(' ')).sort();
}

describe('the names in a content', () => {
  it.each([
    ['/Im1 Do', ['XObject Im1']],
    ['BT /F1 12 Tf (x) Tj ET', ['Font F1']],
    ['/G0 gs', ['ExtGState G0']],
    ['/Cs1 cs 0.5 scn /Cs2 CS', ['ColorSpace Cs1', 'ColorSpace Cs2']],
    ['/Pattern cs 1 0 0 /P1 scn /P2 SCN', ['ColorSpace Pattern', 'Pattern P1', 'Pattern P2']],
    ['/Sh0 sh', ['Shading Sh0']],
    ['/OC /MC0 BDC EMC', ['Properties MC0', 'Properties OC']],
    ['/Span <</MCID 0>> BDC EMC', ['Properties MCID', 'Properties Span']],
    ['/Tag /MC1 DP', ['Properties MC1', 'Properties Tag']],
    ['/Artifact BMC EMC /Tag MP /Perceptual ri', []],
    ['q 1 0 0 1 .5 -3 cm Q', []],
  ])('reads %j', (content, names) => {
    expect(namesIn(content)).toEqual(names);
  });

  it.each([
    ['(/Im1 Do) Tj'],
    ['(a \\) /Im1 Do (nested) \\( b) Tj'],
    ['% /Im1 Do\n'],
    ['</Im1 Do> Tj'],
    ['[(a) -120 (/Im1 Do)] TJ'],
  ])('passes over strings and comments: %j', (content) => {
    expect(namesIn(content)).toEqual([]);
  });

  it.each(['/Im1/Im2 Do', '/Im1\nDo/Im2 Do', '/Im1%x\rDo (a)Tj/Im2 Do', '/Im1 Do[]/Im2 Do'])(
    'reads names that only a delimiter ends: %j',
    (content) => {
      expect(namesIn(content)).toEqual(['XObject Im1', 'XObject Im2']);
    },
  );

  it.each([
    ['/F1 12Tf', ['any F1']],
    ['/Im1 DoQ', ['any Im1']],
    ['/Im1', ['any Im1']],
  ])('counts names for everything when it is not clear what they are for: %j', (content, names) => {
    expect(namesIn(content)).toEqual(names);
  });

  it.each(['(no end', '((no) end', 'no begin) Tj', '<00', 'BI /W 1 /H 1 ID xx', 'BI /W 1', 'BI /W 1 ) ID x\nEI Q'])(
    'says nothing of %j',
    (content) => {
      expect(namesIn(content)).toBeNull();
    },
  );

  it('passes over an inline image by its length where that is known', () => {
    const data = 'ab\nEI q\n(x';
    const image = `BI /W 10 /H 1 /BPC 8 /CS /G ID ${data}\nEI /Im1 Do`;
    expect(namesIn(image)).toContain('XObject Im1');
    expect(
      namesIn(`BI /W 10 /H 1 /BPC 8 /CS /DeviceGray /F /Fl ID \xff\xfe(\xfa\nEI\x9c\x80)\nEI Q /Im2 Do`),
    ).toContain('XObject Im2');
  });

  it('counts the color space of an inline image', () => {
    expect(namesIn('BI /W 1 /H 1 /BPC 8 /CS /Cs7 ID x\nEI')).toContain('ColorSpace Cs7');
  });

  it('loses no name to an inline image whose end was found too late', () => {
    expect(namesIn('BI /W 1 /F /X ID x EI\x01 /Im1 Do BI /F /X ID x\nEI Q')).toContain('any Im1');
  });

  it('gives up on more names than sound contents have', () => {
    const names = Array.from({ length: 60_000 }, (_, index) => `/I${index} Do`);
    expect(namesIn(names.join(' '))).toBeNull();
    expect(namesIn('/A '.repeat(2_000))).toBeNull();
  });

  it('ends on any bytes', () => {
    const bytes = fc.uint8Array({ maxLength: 300 });
    const content = fc.array(fc.constantFrom(...'()<>[]{}/%\\BIDEI \n0a'), { maxLength: 200 });
    fc.assert(fc.property(bytes, (any) => void findNames(any)));
    fc.assert(fc.property(content, (any) => void findNames(Buffer.from(any.join('')))));
  });
});
