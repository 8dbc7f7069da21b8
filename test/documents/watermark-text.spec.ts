import { readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { editDocument } from '../support/documents/edit-document.js';
import { makeBlankPage } from '../support/documents/make-blank-page.js';
import { makeDocument } from '../support/documents/make-document.js';
import { expectClose, markDocument, red, seenAt } from '../support/documents/mark-document.js';
import { readWithPdfium } from '../support/documents/read-with-pdfium.js';

const boldFont = '@expo-google-fonts/noto-sans/700Bold/NotoSans_700Bold.ttf';

describe('the text of a watermark (row 31)', () => {
  it('is drawn with the bundled font in Latin, Greek, Cyrillic and Devanagari, and can be read back', async () => {
    const text = 'Ж ő Ω é ffi नमस्ते';
    const bytes = await markDocument({ text }, await makeDocument('text', 1));
    expect((await readWithPdfium(bytes)).pages[0]?.text).toContain('Ж ő Ω é ffi');
  });

  it.each([
    ['漢', 'U+6F22'],
    ['🙂', 'U+1F642'],
    ['שלום', 'U+05E9'],
    ['สวัสดี', 'U+0E2A'],
    ['a\uFFFE', 'U+FFFE'],
  ])('fails with unsupported_glyph for a character that the font lacks, and names it: %s', async (text, codePoint) => {
    const character = String.fromCodePoint(Number.parseInt(codePoint.slice(2), 16));
    await expect(editDocument('watermark', { text: `A ${text}` }, await makeDocument('text', 1))).rejects.toMatchObject(
      {
        failure: {
          code: 'unsupported_glyph',
          input: null,
          message: `The bundled font has no glyph for "${character}" (${codePoint}): send a font that has it.`,
        },
      },
    );
  });

  it('takes a tab as four spaces, a byte order mark and joiners as nothing, and sets lines one below the other', async () => {
    const content = await makeBlankPage(undefined);
    const at = { ...red, font_size: 20, position: 'top-left' };
    expectClose(
      await seenAt(content, { ...at, text: '\uFEFFa\tb\u200B' }),
      await seenAt(content, { ...at, text: 'a    b' }),
      0,
    );
    const one = await seenAt(content, { ...at, text: 'HH' });
    const two = await seenAt(content, { ...at, text: 'HH\r\nHH' });
    expect([two.left, two.top, two.right]).toEqual([one.left, one.top, one.right]);
    expect(Math.round(two.bottom - one.bottom)).toBeCloseTo(20 * 1.362, -0.5);
  });

  it('composes characters as the font has them', async () => {
    const content = await makeBlankPage(undefined);
    const options = { ...red, font_size: 20 };
    expectClose(
      await seenAt(content, { ...options, text: 'o\u030B' }),
      await seenAt(content, { ...options, text: 'ő' }),
      0,
    );
  });

  it('is kerned', async () => {
    const content = await makeBlankPage(undefined);
    const widthOf = async (text: string): Promise<number> => {
      const { left, right } = await seenAt(content, { ...red, font_size: 40, text });
      return right - left;
    };
    expect(await widthOf('AVAVAV')).toBeLessThan(await widthOf('AHAVHV'));
  });

  it('is set in a font that comes with the job', async () => {
    const font = await readFile(createRequire(import.meta.url).resolve(boldFont));
    const content = await makeBlankPage(undefined);
    const options = { ...red, text: 'Draft', font_size: 30 };
    const [plain, bold] = [
      await seenAt(content, options),
      await seenAt(content, { ...options, font: { input: 1 } }, 0, font),
    ];
    expect(bold.right - bold.left).toBeGreaterThan(plain.right - plain.left);
    const missing = editDocument('watermark', { text: '漢', font: { input: 1 } }, content, font);
    await expect(missing).rejects.toMatchObject({
      failure: { code: 'unsupported_glyph', input: 1, message: 'The font, input 1, has no glyph for "漢" (U+6F22).' },
    });
  });

  it('fails with unsupported_font for a font that is none, or is damaged anywhere', async () => {
    const font = await readFile(createRequire(import.meta.url).resolve(boldFont));
    const content = await makeDocument('text', 1);
    const damaged = [Buffer.from('%PDF-1.7'), font.subarray(0, 10), font.subarray(0, 2_000), font.subarray(0, 60_000)];
    for (const bytes of damaged)
      await expect(
        editDocument('watermark', { text: 'Draft', font: { input: 1 } }, content, bytes),
      ).rejects.toMatchObject({
        failure: { code: 'unsupported_font', input: 1, message: expect.stringMatching(/^Input 1 is no font .*\.$/) },
      });
  });
});
