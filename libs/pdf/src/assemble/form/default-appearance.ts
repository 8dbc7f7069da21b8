import { PDFHexString, PDFName, type PDFString } from 'pdf-lib';

/** What selects a font in a default appearance (ISO 32000-1, 12.7.3.3): its name, its size and `Tf`. */
const fontSelection = /\/([^\s/<>[\](){}%]+)(\s+[-+.\d]+\s+Tf)/g;

/** A default appearance, in either spelling of strings. */
export type Appearance = PDFString | PDFHexString;

/** The fonts that a default appearance selects. */
export function fontsIn(appearance: Appearance): PDFName[] {
  return [...textOf(appearance).matchAll(fontSelection)].map(([, name = '']) => PDFName.of(name));
}

/** The same default appearance with its fonts under other names. */
export function renameFonts(appearance: Appearance, names: ReadonlyMap<PDFName, PDFName>): Appearance {
  if (fontsIn(appearance).every((name) => (names.get(name) ?? name) === name)) return appearance;
  const renamed = textOf(appearance).replace(fontSelection, (_all, written: string, rest: string) => {
    const name = PDFName.of(written);
    return `${(names.get(name) ?? name).asString()}${rest}`;
  });
  return PDFHexString.of(Buffer.from(renamed, 'latin1').toString('hex'));
}

function textOf(appearance: Appearance): string {
  return Buffer.from(appearance.asBytes()).toString('latin1');
}
