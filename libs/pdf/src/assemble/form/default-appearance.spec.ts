import { PDFHexString, PDFName, PDFString } from 'pdf-lib';
import { fontsIn, renameFonts } from './default-appearance.js';

const names = new Map([['Helv', 'Helv_2'] as const].map(([from, to]) => [PDFName.of(from), PDFName.of(to)]));

describe('a default appearance', () => {
  it.each(['/Helv 12 Tf 0 g', '0 g /Helv  0 Tf', '/H#65lv -1.5\nTf', '1 0 0 rg/Helv .5 Tf'])(
    '%j selects a font',
    (text) => {
      expect(fontsIn(PDFString.of(text))).toEqual([PDFName.of('Helv')]);
    },
  );

  it.each(['', '/Helv', '/Helv 12', '/Helv 12 TD', '/DeviceRGB cs 12 Tf'])('%j selects none', (text) => {
    expect(fontsIn(PDFString.of(text))).toEqual([]);
  });

  it('follows its font to another name, in either spelling', () => {
    const text = '0 g /Helv 12 Tf /Other 3 Tf (\\\\)';
    for (const appearance of [PDFString.of(text), PDFHexString.of(Buffer.from(text).toString('hex'))])
      expect(Buffer.from(renameFonts(appearance, names).asBytes()).toString()).toMatch(
        /^0 g \/Helv_2 12 Tf \/Other 3 Tf/,
      );
  });

  it('stays as it is when its fonts do', () => {
    const appearance = PDFString.of('/Other 12 Tf');
    expect(renameFonts(appearance, names)).toBe(appearance);
  });
});
