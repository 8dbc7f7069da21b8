import { createHash } from 'node:crypto';
import { deflateSync } from 'node:zlib';
import type { PDFContext, PDFRef } from 'pdf-lib';
import { PDFHexString, PDFName, PDFString } from 'pdf-lib';
import type { OpenFont } from './open-font.js';
import type { PlacedGlyph } from './set-text.js';

/** A font in a document with no glyphs but those that are used. */
export interface EmbeddedFont {
  readonly ref: PDFRef;
  /** The code of each glyph of the font, two bytes in hexadecimal. */
  readonly codes: ReadonlyMap<number, string>;
}

/** As it is in version 2 of the library; the types are those of version 1. */
interface GlyphSubset {
  /** The number that a glyph of the font has in the subset. */
  includeGlyph(id: number): number;
  encode(): Uint8Array;
}

/** Not one of the standard Latin fonts (ISO 32000-1, table 123, bit 3), as fonts with glyphs by number are. */
const symbolic = 4;
const tagLetters = 6;
const blockSize = 100;

/** Embeds the used part of a font, with what is needed to read the text back (ISO 32000-1, 9.7 and 9.10.3). */
export function embedFont(context: PDFContext, open: OpenFont, glyphs: readonly PlacedGlyph[]): EmbeddedFont {
  const subset = open.font.createSubset() as unknown as GlyphSubset;
  const used = new Map<number, PlacedGlyph>();
  for (const glyph of glyphs) {
    const code = subset.includeGlyph(glyph.id);
    if (!used.has(code)) used.set(code, glyph);
  }
  const program = subset.encode();
  const hasCffOutlines = Buffer.from(open.bytes.subarray(0, 4)).toString('latin1') === 'OTTO';
  const name = PDFName.of(`${tagOf(program)}+${plainName(open)}`);
  const descendant = context.obj({
    Type: 'Font',
    Subtype: hasCffOutlines ? 'CIDFontType0' : 'CIDFontType2',
    BaseFont: name,
    CIDSystemInfo: { Registry: PDFString.of('Adobe'), Ordering: PDFString.of('Identity'), Supplement: 0 },
    FontDescriptor: describeFont(context, open, name, embedProgram(context, program, hasCffOutlines)),
    W: [0, Array.from({ length: Math.max(0, ...used.keys()) + 1 }, (_, code) => rounded(used.get(code)?.advance ?? 0))],
    ...(hasCffOutlines ? {} : { CIDToGIDMap: 'Identity' }),
  });
  const ref = context.register(
    context.obj({
      Type: 'Font',
      Subtype: 'Type0',
      BaseFont: name,
      Encoding: 'Identity-H',
      DescendantFonts: [context.register(descendant)],
      ToUnicode: embedMap(context, used),
    }),
  );
  return { ref, codes: new Map([...used].map(([code, { id }]) => [id, hexadecimal(code)])) };
}

function describeFont(
  context: PDFContext,
  { font }: OpenFont,
  name: PDFName,
  program: Readonly<Record<string, PDFRef>>,
): PDFRef {
  const unit = 1000 / font.unitsPerEm;
  const { minX, minY, maxX, maxY } = font.bbox;
  const descriptor = context.obj({
    Type: 'FontDescriptor',
    FontName: name,
    Flags: symbolic,
    FontBBox: [minX, minY, maxX, maxY].map((value) => rounded(value * unit)),
    ItalicAngle: rounded(font.italicAngle),
    Ascent: rounded(font.ascent * unit),
    Descent: rounded(font.descent * unit),
    CapHeight: rounded((font.capHeight || font.ascent) * unit),
    StemV: 80,
    ...program,
  });
  return context.register(descriptor);
}

function embedProgram(context: PDFContext, program: Uint8Array, isCff: boolean): Readonly<Record<string, PDFRef>> {
  const kind = isCff ? { Subtype: 'CIDFontType0C' } : { Length1: program.length };
  const stream = context.stream(deflateSync(program, { level: 9 }), { Filter: 'FlateDecode', ...kind });
  return { [isCff ? 'FontFile3' : 'FontFile2']: context.register(stream) };
}

function embedMap(context: PDFContext, used: ReadonlyMap<number, PlacedGlyph>): PDFRef {
  const lines = [...used].map(([code, { codePoints }]) => `<${hexadecimal(code)}> ${utf16(codePoints)}`);
  const blocks: string[] = [];
  for (let from = 0; from < lines.length; from += blockSize) {
    const block = lines.slice(from, from + blockSize);
    blocks.push(`${block.length} beginbfchar\n${block.join('\n')}\nendbfchar\n`);
  }
  const map = `/CIDInit /ProcSet findresource begin
12 dict begin
begincmap
/CIDSystemInfo <</Registry (Adobe) /Ordering (UCS) /Supplement 0>> def
/CMapName /Adobe-Identity-UCS def
/CMapType 2 def
1 begincodespacerange
<0000> <ffff>
endcodespacerange
${blocks.join('')}endcmap
CMapName currentdict /CMap defineresource pop
end
end`;
  return context.register(context.stream(deflateSync(Buffer.from(map)), { Filter: 'FlateDecode' }));
}

function utf16(codePoints: readonly number[]): string {
  const text = String.fromCodePoint(...codePoints);
  return PDFHexString.fromText(text)
    .toString()
    .replace(/^<FEFF/i, '<');
}

/** Six letters that tell one subset of a font from another. */
function tagOf(program: Uint8Array): string {
  const digest = createHash('sha256').update(program).digest();
  return Array.from(digest.subarray(0, tagLetters), (byte) => String.fromCharCode(0x41 + (byte % 26))).join('');
}

function plainName({ font }: OpenFont): string {
  const name = String(font.postscriptName ?? '')
    .replace(/[^A-Za-z0-9-]/g, '')
    .slice(0, 63);
  return name === '' ? 'Font' : name;
}

function hexadecimal(code: number): string {
  return code.toString(16).padStart(4, '0');
}

function rounded(value: number): number {
  if (!Number.isFinite(value)) throw new RangeError('The font has a measure that is no number.');
  return Math.round(value * 1000) / 1000;
}
