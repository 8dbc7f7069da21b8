import type { Font } from 'fontkit';
import { DocumentFailed, unsupportedGlyph } from '../../document/failure/document-failure.js';
import type { OpenFont } from './open-font.js';
import { type DirectedRun, splitDirections } from './split-directions.js';

/** A glyph of the font and where its origin lies; lengths are in thousandths of the font size. */
export interface PlacedGlyph {
  readonly id: number;
  readonly codePoints: readonly number[];
  readonly advance: number;
  readonly x: number;
  readonly y: number;
}

/** One line of text; `x` of its glyphs counts from its start, `y` from its baseline. */
export interface SetLine {
  readonly glyphs: readonly PlacedGlyph[];
  readonly width: number;
}

const bom = /\uFEFF/gu;
const tab = '    ';
/** Characters that have no picture of their own, such as joiners and marks of direction. */
const ignorable = /^\p{Default_Ignorable_Code_Point}$/u;

/**
 * Sets each line run by run, a run being what goes in one direction: ligatures, kerning and the order of its glyphs are those of the font. A
 * byte order mark is nothing, a tab is four spaces. Throws `DocumentFailed` with `unsupported_glyph` for the first character that the font does not have.
 */
export function setText(text: string, { font, input }: OpenFont): SetLine[] {
  return text
    .replace(bom, '')
    .replaceAll('\r\n', '\n')
    .replaceAll('\t', tab)
    .split('\n')
    .map((line) => setLine(fitted(line, font, input), font, input));
}

/** Characters as the font has them, composed or in parts. */
function fitted(line: string, font: Font, input: number | null): string {
  return [...line.normalize('NFC')].map((character) => fittedCharacter(character, font, input)).join('');
}

function fittedCharacter(character: string, font: Font, input: number | null): string {
  if (ignorable.test(character) || has(font, character)) return character;
  const parts = [...character.normalize('NFD')];
  if (parts.length > 1 && parts.every((part) => has(font, part))) return parts.join('');
  throw new DocumentFailed(unsupportedGlyph(character, input));
}

function has(font: Font, character: string): boolean {
  return font.hasGlyphForCodePoint(character.codePointAt(0) ?? 0);
}

function setLine(line: string, font: Font, input: number | null): SetLine {
  const glyphs: PlacedGlyph[] = [];
  let width = 0;
  for (const run of splitDirections(line)) {
    const set = setRun(run, font, input);
    glyphs.push(...set.glyphs.map((glyph) => ({ ...glyph, x: glyph.x + width })));
    width += set.width;
  }
  return { glyphs, width };
}

function setRun({ text, direction }: DirectedRun, font: Font, input: number | null): SetLine {
  const { glyphs, positions } = font.layout(text, undefined, undefined, undefined, direction);
  const unit = 1000 / font.unitsPerEm;
  const placed: PlacedGlyph[] = [];
  let [x, y] = [0, 0];
  for (const [index, { id, codePoints, advanceWidth }] of glyphs.entries()) {
    const position = positions[index] ?? { xAdvance: 0, yAdvance: 0, xOffset: 0, yOffset: 0 };
    if (id === 0) throw new DocumentFailed(unsupportedGlyph(String.fromCodePoint(codePoints[0] ?? 0), input));
    placed.push({
      id,
      codePoints,
      advance: advanceWidth * unit,
      x: x + position.xOffset * unit,
      y: y + position.yOffset * unit,
    });
    x += position.xAdvance * unit;
    y += position.yAdvance * unit;
  }
  return { glyphs: placed, width: x };
}
