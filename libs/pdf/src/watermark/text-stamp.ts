import type { PDFContext } from 'pdf-lib';
import { type Box, boxAround } from '../content/box.js';
import { addForm } from '../content/form-object.js';
import { formatNumber, formatNumbers } from '../content/matrix.js';
import { embedFont } from './font/embed-font.js';
import type { OpenFont } from './font/open-font.js';
import type { PlacedGlyph, SetLine } from './font/set-text.js';
import { setText } from './font/set-text.js';
import type { Stamp } from './stamp.js';

/** The size in which a text is set in its form: all lengths in it are thousandths of this. */
export const fontSizeInForm = 100;

export interface TextStampOptions {
  readonly text: string;
  /** `#rrggbb` */
  readonly color: string;
  /** Where short lines lie beside long ones: -1 left, 0 in the middle, 1 right. */
  readonly alignment: -1 | 0 | 1;
  readonly isGroup: boolean;
}

/** A line that knows its place: `x` of its start and `y` of its baseline. */
interface PlacedLine extends SetLine {
  readonly x: number;
  readonly y: number;
}

/** Throws `DocumentFailed` with `unsupported_glyph`. */
export function makeTextStamp(context: PDFContext, font: OpenFont, options: TextStampOptions): Stamp {
  const lines = stack(setText(options.text, font), heightsOf(font), options.alignment);
  const { ref, codes } = embedFont(
    context,
    font,
    lines.flatMap(({ glyphs }) => glyphs),
  );
  const shown = lines.filter(({ glyphs }) => glyphs.length > 0).map((line) => showLine(line, codes));
  const content = `BT\n/F ${fontSizeInForm} Tf\n${fillColor(options.color)} rg\n${shown.join('')}ET`;
  const { box, ink } = boxesOf(lines, font);
  const form = addForm(context, { content, box, resources: { Font: { F: ref } }, isGroup: options.isGroup });
  return { form, box, ink };
}

interface Heights {
  readonly ascent: number;
  readonly descent: number;
  readonly line: number;
}

/** In thousandths of the font size. A font that says nothing sensible gets what most have. */
function heightsOf({ font }: OpenFont): Heights {
  const unit = 1000 / font.unitsPerEm;
  const [ascent, descent, gap] = [font.ascent * unit, font.descent * unit, font.lineGap * unit];
  const isSensible = ascent > 0 && descent <= 0 && ascent - descent >= 500 && ascent - descent <= 5000;
  if (!isSensible) return { ascent: 1000, descent: -250, line: 1250 };
  return { ascent, descent, line: ascent - descent + Math.min(Math.max(gap, 0), 1000) };
}

/** The last baseline is at 0. */
function stack(lines: readonly SetLine[], { line: height }: Heights, alignment: -1 | 0 | 1): PlacedLine[] {
  const width = Math.max(...lines.map((line) => line.width));
  return lines.map((line, index) => ({
    ...line,
    x: ((width - line.width) * (alignment + 1)) / 2,
    y: (lines.length - 1 - index) * height,
  }));
}

/** The lines with all that their glyphs draw beyond them, and what the glyphs draw alone. */
function boxesOf(lines: readonly PlacedLine[], font: OpenFont): Pick<Stamp, 'box' | 'ink'> {
  const { ascent, descent } = heightsOf(font);
  const width = Math.max(1, ...lines.map((line) => line.width));
  const height = ascent + (lines[0]?.y ?? 0) - descent;
  const inLines = { x: 0, y: descent, width, height };
  const glyphs = glyphBoxes(lines, font);
  return {
    box: inForm(boxAround([inLines, ...glyphs])),
    ink: inForm(glyphs.length === 0 ? inLines : boxAround(glyphs)),
  };
}

function glyphBoxes(lines: readonly PlacedLine[], { font }: OpenFont): Box[] {
  const unit = 1000 / font.unitsPerEm;
  return lines.flatMap((line) =>
    line.glyphs.flatMap((glyph) => {
      const { minX, minY, maxX, maxY } = font.getGlyph(glyph.id).bbox;
      if (!(maxX > minX && maxY > minY)) return [];
      const [x, y] = [line.x + glyph.x + minX * unit, line.y + glyph.y + minY * unit];
      return [{ x, y, width: (maxX - minX) * unit, height: (maxY - minY) * unit }];
    }),
  );
}

function inForm({ x, y, width, height }: Box): Box {
  const scale = fontSizeInForm / 1000;
  return { x: x * scale, y: y * scale, width: width * scale, height: height * scale };
}

function showLine(line: PlacedLine, codes: ReadonlyMap<number, string>): string {
  return runsOf(line.glyphs)
    .map((run) => showRun(run, line, codes))
    .join('');
}

/** Glyphs at one height are shown by one operator. */
function runsOf(glyphs: readonly PlacedGlyph[]): PlacedGlyph[][] {
  const runs: PlacedGlyph[][] = [];
  for (const glyph of glyphs) {
    const run = runs.at(-1);
    if (run === undefined || run[0]?.y !== glyph.y) runs.push([glyph]);
    else run.push(glyph);
  }
  return runs;
}

function showRun(run: readonly PlacedGlyph[], line: PlacedLine, codes: ReadonlyMap<number, string>): string {
  const scale = fontSizeInForm / 1000;
  const [first] = run;
  if (first === undefined) return '';
  let [shown, pen] = ['', first.x];
  for (const { id, x, advance } of run) {
    const back = Math.round((pen - x) * 1000) / 1000;
    shown += back === 0 ? '' : ` ${formatNumber(back)} `;
    shown += `<${codes.get(id) ?? '0000'}>`;
    pen = x + advance;
  }
  const start = formatNumbers([1, 0, 0, 1, (line.x + first.x) * scale, (line.y + first.y) * scale]);
  return `${start} Tm [${shown}] TJ\n`;
}

function fillColor(color: string): string {
  return formatNumbers([1, 3, 5].map((at) => Number.parseInt(color.slice(at, at + 2), 16) / 255));
}
