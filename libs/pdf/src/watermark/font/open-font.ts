import { readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import type { Font } from 'fontkit';
import { DocumentFailed, unsupportedFont } from '../../document/failure/document-failure.js';
import { guard } from '../../document/failure/guard.js';

/** A font to set text in. `input` is the 0-based number of the input that it came as; `null` for the bundled one. */
export interface OpenFont {
  readonly font: Font;
  readonly bytes: Uint8Array;
  readonly input: number | null;
}

const bundledFont = '@expo-google-fonts/noto-sans/400Regular/NotoSans_400Regular.ttf';
/** TrueType, the same as Apple marks it, and OpenType with CFF outlines. */
const signatures = ['\u0000\u0001\u0000\u0000', 'true', 'OTTO'];

/** Noto Sans, which has Latin, Greek, Cyrillic and Devanagari. */
export async function openBundledFont(): Promise<OpenFont> {
  const bytes = await readFile(createRequire(import.meta.url).resolve(bundledFont));
  return { font: await parse(bytes), bytes, input: null };
}

/** Throws `DocumentFailed` with `unsupported_font` for what is no single TrueType or OpenType font, or a damaged one. */
export async function openFont(path: string, input: number): Promise<OpenFont> {
  const bytes = await readFile(path);
  if (!signatures.includes(bytes.toString('latin1', 0, 4))) throw new DocumentFailed(unsupportedFont(input));
  return guard(unsupportedFont(input), async () => ({ font: await parse(bytes), bytes, input }));
}

/** Always anew: a font remembers the characters that each glyph was first used for. */
async function parse(bytes: Buffer): Promise<Font> {
  const { create } = await import('fontkit');
  const font = create(bytes);
  if (!('layout' in font) || !(font.unitsPerEm > 0) || !(font.numGlyphs > 0)) throw new Error('There are no glyphs.');
  return font;
}
