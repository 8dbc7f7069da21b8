import { readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { deflateSync, inflateSync } from 'node:zlib';
import { PDFDocument, PDFName, PDFRawStream, PDFRef } from 'pdf-lib';
import sharp, { type Sharp } from 'sharp';
import { checkWithQpdf, sound } from '../support/documents/check-with-qpdf.js';
import { compareRenders } from '../support/documents/compare-renders.js';
import { describeDocument } from '../support/documents/describe-document.js';
import { editDocument } from '../support/documents/edit-document.js';
import { type InkBox, inkBox, inkBoxOf } from '../support/documents/ink-box.js';
import { makeBoxedPage, makeInheritedBoxes, type PageBoxes } from '../support/documents/make-boxes.js';
import { withWrongOffsets } from '../support/documents/make-damaged.js';
import { makeDocument } from '../support/documents/make-document.js';
import { encrypt } from '../support/documents/make-encrypted.js';
import { type Leak, leakNames, makeLeaking } from '../support/documents/make-leaking.js';
import { makeRichDocument } from '../support/documents/make-rich-document.js';
import { makeSharedBook } from '../support/documents/make-shared-book.js';
import { makeSigned } from '../support/documents/make-signed.js';
import { makeStructure } from '../support/documents/make-structure.js';
import { noiseBytes } from '../support/documents/noise-bytes.js';
import { readWithPdfium } from '../support/documents/read-with-pdfium.js';
import { renderWithPdfium } from '../support/documents/render-with-pdfium.js';

const boldFont = '@expo-google-fonts/noto-sans/700Bold/NotoSans_700Bold.ttf';
const red = { color: '#ff0000', opacity: 1 };

async function mark(options: object, ...contents: Uint8Array[]): Promise<Buffer> {
  const { bytes } = await editDocument('watermark', options, ...contents);
  expect(await checkWithQpdf(bytes)).toEqual(sound);
  return bytes;
}

/** Where a watermark is seen on a page, as PDFium draws it before and after; in pixels, one for each point. */
async function seenAt(content: Uint8Array, options: object, page = 0, ...others: Uint8Array[]): Promise<InkBox> {
  const bytes = await mark(options, content, ...others);
  const box = inkBox(await renderWithPdfium(content, page), await renderWithPdfium(bytes, page));
  if (box === null) throw new Error('There is no watermark to be seen.');
  return box;
}

function expectClose(box: InkBox, expected: InkBox, tolerance = 1): void {
  for (const side of ['left', 'top', 'right', 'bottom'] as const)
    expect(Math.abs(box[side] - expected[side])).toBeLessThanOrEqual(tolerance);
}

/** A page without content, which is seen as 300 by 200 points whatever its rotation. */
async function blankPage(rotate: number | undefined, boxes: Partial<PageBoxes> = {}): Promise<Uint8Array> {
  const isSideways = rotate !== undefined && rotate % 180 !== 0;
  const mediaBox = isSideways ? ([0, 0, 200, 300] as const) : ([0, 0, 300, 200] as const);
  const bytes = await makeBoxedPage('blank', {
    mediaBox,
    ...boxes,
    ...(rotate === undefined ? {} : { rotate: rotate as 90 }),
  });
  const document = await PDFDocument.load(bytes, { updateMetadata: false });
  document.getPage(0).node.delete(PDFName.of('Contents'));
  return document.save({ useObjectStreams: false });
}

describe('a watermark on a rotated page (row 27)', () => {
  it.each(['center', 'top-left', 'right'])(
    'stands upright at the same place of the page as it is seen, at the %s',
    async (position) => {
      const options = { ...red, text: 'Draft', font_size: 30, position };
      const upright = await seenAt(await blankPage(undefined), options);
      for (const rotate of [0, 90, 180, 270, -90, 450])
        expectClose(await seenAt(await blankPage(rotate), options), upright);
    },
  );

  it('is the same picture, not only in the same place', async () => {
    const options = { ...red, text: 'Draft', angle: 30, scale: 0.9 };
    const upright = await renderWithPdfium(await mark(options, await blankPage(undefined)), 0);
    for (const rotate of [90, 180, 270]) {
      const turned = await renderWithPdfium(await mark(options, await blankPage(rotate)), 0);
      expect(compareRenders(upright, turned).differingShare).toBeLessThan(0.01);
    }
  });

  it('heeds a rotation and boxes that the page inherits', async () => {
    const content = await makeInheritedBoxes('inherited');
    const options = { ...red, text: 'M', font_size: 40, position: 'bottom-left', margin: 10 };
    const { pages } = await readWithPdfium(content);
    for (const [page, { height }] of pages.entries()) {
      const box = await seenAt(content, options, page);
      expect(box.left).toBeGreaterThanOrEqual(10);
      expect(box.left).toBeLessThan(18);
      expect(box.bottom).toBeLessThanOrEqual(height - 10);
      expect(box.bottom).toBeGreaterThan(height - 26);
    }
  });

  it('leans to the left of the reader for a positive angle', async () => {
    const flat = await seenAt(await blankPage(90), { ...red, text: 'Draft', font_size: 30 });
    const steep = await seenAt(await blankPage(90), { ...red, text: 'Draft', font_size: 30, angle: 90 });
    expect(steep.bottom - steep.top).toBe(flat.right - flat.left);
    const tilted = await renderWithPdfium(
      await mark({ ...red, text: 'lllll', font_size: 30, angle: 45 }, await blankPage(90)),
      0,
    );
    const inkAt = (x: number, y: number): boolean => {
      const [r = 0, g = 0] = tilted.rgba.subarray((y * tilted.width + x) * 4);
      return r > 200 && g < 200;
    };
    const inked = (from: number, to: number): number[] =>
      Array.from({ length: tilted.height }, (_, y) => y).filter((y) =>
        Array.from({ length: to - from }, (_, x) => from + x).some((x) => inkAt(x, y)),
      );
    expect(Math.min(...inked(150, 300))).toBeLessThan(Math.min(...inked(0, 150)));
  });
});

describe('a watermark on a cropped page (row 28)', () => {
  it.each([
    ['cropped', undefined, [173, 247, 373, 347]],
    ['cropped and turned', 90, [173, 247, 373, 347]],
    ['cropped beyond its media', undefined, [500, 600, 900, 1000]],
  ] as const)('is placed in what is seen of it, and seen wholly: %s', async (_, rotate, cropBox) => {
    const boxes = { mediaBox: [0, 0, 612, 792], cropBox } as const;
    const content = await blankPage(rotate, boxes);
    const [page] = (await readWithPdfium(content)).pages;
    const [width, height] = [page?.width ?? 0, page?.height ?? 0];
    const box = await seenAt(content, { ...red, text: 'MMMMM', scale: 1, margin: 5 });
    expect(Math.abs(box.left - (width - box.right))).toBeLessThanOrEqual(3);
    expect(box.left).toBeGreaterThanOrEqual(4);
    expect(box.top).toBeGreaterThanOrEqual(4);
    expect(box.bottom).toBeLessThanOrEqual(height - 4);
    expect(box.right - box.left).toBeGreaterThan(width * 0.5);
  });

  it('counts points as the page is seen, whatever its unit is', async () => {
    const options = { ...red, text: 'M', font_size: 36, position: 'bottom-left', margin: 20, offset: { x: 10, y: 0 } };
    const plain = await seenAt(await blankPage(undefined), options);
    const scaled = await PDFDocument.load(
      await mark(options, await blankPage(undefined, { mediaBox: [0, 0, 150, 100], userUnit: 2 })),
    );
    scaled.getPage(0).node.delete(PDFName.of('UserUnit'));
    const white = await blankPage(undefined, { mediaBox: [0, 0, 150, 100] });
    const dpi = 144;
    const box = inkBox(
      await renderWithPdfium(white, 0, { dpi }),
      await renderWithPdfium(await scaled.save(), 0, { dpi }),
    );
    expectClose(box ?? plain, plain);
    expect(box).not.toBeNull();
  });
});

describe('a watermark over a content that leaks its graphics state', () => {
  it.each(leakNames)('stands where it would without: %s', async (leak: Leak) => {
    const options = { ...red, text: 'Draft', position: 'bottom' };
    const expected = await seenAt(await makeDocument('sound', 1), options);
    for (const layer of ['over', 'under'])
      expectClose(await seenAt(await makeLeaking('leaking', leak), { ...options, layer }), expected);
  });

  it('leaves the content as it was seen, even one that restores more than it saved', async () => {
    const unbalanced = await withContent('1 0 0 1 0 -300 cm Q Q BT /F 12 Tf ET 0 0 1 rg 20 400 60 60 re f Q');
    const bytes = await mark({ ...red, text: '.', position: 'top-right', font_size: 4 }, unbalanced);
    const box = inkBox(await renderWithPdfium(unbalanced, 0), await renderWithPdfium(bytes, 0));
    expect((box?.right ?? 0) - (box?.left ?? 0)).toBeLessThan(10);
  });

  it('closes text and hidden marked content that were left open', async () => {
    const options = { ...red, text: 'Draft', position: 'bottom' };
    const expected = await seenAt(await withContent('0 g'), options);
    const open = 'q /OC /Hidden BDC BT 1 0 0 1 50 50 Tm';
    expectClose(await seenAt(await withContent(open, { isHidden: true }), options), expected);
  });

  it('restores as often as the content saved a state that it had changed', async () => {
    const options = { ...red, text: 'Draft', position: 'bottom' };
    const saved = await withContent('0.5 0 0 0.5 90 90 cm q q q 2 0 0 2 0 0 cm q');
    expectClose(await seenAt(saved, options), await seenAt(await withContent('0 g'), options));
  });

  it('stands after a content that is damaged half way, whatever was open there', async () => {
    const options = { ...red, text: 'Draft', position: 'bottom' };
    const sound = deflateSync(`q 0.5 0 0 0.5 90 90 cm BT ${'1 0 0 1 50 50 Tm '.repeat(2_000)}`);
    for (const damaged of [
      sound.subarray(0, sound.length / 2),
      Buffer.concat([sound.subarray(0, -4), Buffer.from('ruin')]),
    ]) {
      const content = await withContent('', { packed: damaged });
      const { bytes } = await editDocument('watermark', options, content);
      const box = inkBox(await renderWithPdfium(content, 0), await renderWithPdfium(bytes, 0));
      expectClose(box ?? { left: 0, top: 0, right: 0, bottom: 0 }, await seenAt(await withContent('0 g'), options));
    }
  });

  it('is not misled by operators in strings, comments and inline images', async () => {
    const options = { ...red, text: 'Draft', position: 'bottom' };
    const content = '(q q \\( q) pop % q q\n<71> pop /q pop BI /W 8 /H 1 /BPC 8 /CS /G ID q Q q q EI 0 g';
    expectClose(await seenAt(await withContent(content), options), await seenAt(await withContent('0 g'), options));
  });
});

/** A page of 300 by 400 points with this content; `/Hidden` is a layer that is switched off. */
async function withContent(
  content: string,
  { isHidden = false, packed }: { isHidden?: boolean; packed?: Uint8Array } = {},
): Promise<Uint8Array> {
  const document = await PDFDocument.create({ updateMetadata: false });
  const { context, catalog } = document;
  const { node } = document.addPage([300, 400]);
  const stream = packed === undefined ? context.stream(content) : context.stream(packed, { Filter: 'FlateDecode' });
  node.set(PDFName.of('Contents'), context.register(stream));
  if (isHidden) {
    const layer = context.register(context.obj({ Type: 'OCG', Name: 'Hidden' }));
    catalog.set(PDFName.of('OCProperties'), context.obj({ OCGs: [layer], D: { OFF: [layer] } }));
    node.set(PDFName.of('Resources'), context.obj({ Properties: { Hidden: layer } }));
  }
  return document.save({ useObjectStreams: false });
}

describe('what the document has', () => {
  it('stays, structure and all (row 11)', async () => {
    for (const content of [await makeStructure('tagged'), await makeRichDocument('rich')]) {
      const { bytes, warnings } = await editDocument('watermark', { text: 'Draft' }, content);
      const described = { ...(await describeDocument(content)), bytes: bytes.byteLength };
      expect(await describeDocument(bytes)).toEqual(described);
      expect(warnings).toEqual([]);
      expect((await readWithPdfium(bytes)).isTagged).toBe((await readWithPdfium(content)).isTagged);
    }
  });

  it('stays out of the structure itself: a watermark is an artifact', async () => {
    const document = await PDFDocument.load(await mark({ text: 'Draft' }, await makeStructure('tagged')));
    const contents = document.context
      .enumerateIndirectObjects()
      .flatMap(([, object]) => (object instanceof PDFRawStream ? [inflated(object)] : []));
    expect(contents.join()).toMatch(/\/Artifact <<[^>]*\/Watermark>> BDC \/Watermark Do EMC/);
  });

  it('has a warning when it was signed, and keeps its signature to be seen (row 43)', async () => {
    const { bytes, warnings } = await editDocument('watermark', { text: 'Draft' }, await makeSigned('signed'));
    expect(warnings).toEqual(['signature_invalidated']);
    expect((await readWithPdfium(bytes)).signatures).toBe(1);
  });

  it('is not changed for pages that share their resources and are not named', async () => {
    const content = await makeInheritedBoxes('shared');
    const bytes = await mark({ ...red, text: 'Draft', pages: '2' }, content);
    for (const page of [0, 2])
      expect(inkBox(await renderWithPdfium(content, page), await renderWithPdfium(bytes, page))).toBeNull();
    const document = await PDFDocument.load(bytes);
    expect(document.getPage(1).node.get(PDFName.of('Resources'))).toBeInstanceOf(PDFRef);
    expect(document.getPage(0).node.get(PDFName.of('Resources'))).toBeUndefined();
  });

  it('is marked again and again, each time anew (row 25)', async () => {
    const once = await mark({ ...red, text: 'One', position: 'top' }, await makeDocument('chain', 2));
    const twice = await mark({ ...red, text: 'Two', position: 'center' }, once);
    const thrice = await mark({ ...red, text: 'Three', position: 'bottom' }, twice);
    const [page] = (await readWithPdfium(thrice)).pages;
    for (const text of ['chain page 1', 'One', 'Two', 'Three']) expect(page?.text).toContain(text);
    expect(thrice.length - twice.length).toBeLessThan((twice.length - once.length) * 1.3);
  });
});

describe('the size of a watermarked document (row 32)', () => {
  it.each([
    ['a text', { text: 'Draft of the annual report' }, []],
    ['tiles', { text: 'Draft', scale: 0.1, tile: { gap_x: 10, gap_y: 10 } }, []],
    ['a page', { pdf: { input: 1 } }, ['page']],
    ['an image', { image: { input: 1 } }, ['image']],
  ])('grows by less than 200 kB for 500 pages: %s', async (_, options, others) => {
    const content = await makeDocument('long', 500);
    const plain = (await editDocument('rotate', { angle: 0 }, content)).bytes;
    const inputs = await Promise.all(others.map((kind) => (kind === 'page' ? makeDocument('stamp', 1) : picture())));
    expect((await mark(options, content, ...inputs)).length - plain.length).toBeLessThan(200_000);
  });

  it('holds the font once, with the glyphs that are used', async () => {
    const document = await PDFDocument.load(await mark({ text: 'Draft' }, await makeDocument('fonts', 20)));
    const programs = document.context
      .enumerateIndirectObjects()
      .filter(([, object]) => object instanceof PDFRawStream && object.dict.has(PDFName.of('Length1')));
    expect(programs).toHaveLength(1);
    expect((programs[0]?.[1] as PDFRawStream).contents.length).toBeLessThan(3_000);
  });

  it('holds a drawn page once, with what its content needs and no more of its document (row 37)', async () => {
    const book = await makeSharedBook({ pages: 40, imageBytes: 50_000 });
    const content = await makeDocument('long', 100);
    const grown = (await mark({ pdf: { input: 1, page: 3 } }, content, book)).length - content.length;
    expect(grown).toBeLessThan(book.length + 20_000);
  });
});

describe('the text of a watermark (row 31)', () => {
  it('is drawn with the bundled font in Latin, Greek, Cyrillic and Devanagari, and can be read back', async () => {
    const text = 'Ж ő Ω é ffi नमस्ते';
    const bytes = await mark({ text }, await makeDocument('text', 1));
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
    const content = await blankPage(undefined);
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
    const content = await blankPage(undefined);
    const options = { ...red, font_size: 20 };
    expectClose(
      await seenAt(content, { ...options, text: 'o\u030B' }),
      await seenAt(content, { ...options, text: 'ő' }),
      0,
    );
  });

  it('is kerned', async () => {
    const content = await blankPage(undefined);
    const widthOf = async (text: string): Promise<number> => {
      const { left, right } = await seenAt(content, { ...red, font_size: 40, text });
      return right - left;
    };
    expect(await widthOf('AVAVAV')).toBeLessThan(await widthOf('AHAVHV'));
  });

  it('is set in a font that comes with the job', async () => {
    const font = await readFile(createRequire(import.meta.url).resolve(boldFont));
    const content = await blankPage(undefined);
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

describe('an image as a watermark', () => {
  const encodings: ReadonlyArray<readonly [string, (image: Sharp) => Sharp]> = [
    ['PNG', (image) => image.png()],
    ['PNG with a palette', (image) => image.png({ palette: true })],
    ['PNG of 16 bits', (image) => image.toColourspace('rgb16').png()],
    ['gray PNG', (image) => image.toColourspace('b-w').png()],
    ['JPEG', (image) => image.jpeg()],
    ['progressive JPEG', (image) => image.jpeg({ progressive: true })],
    ['gray JPEG', (image) => image.toColourspace('b-w').jpeg()],
    ['CMYK JPEG', (image) => image.toColourspace('cmyk').jpeg()],
    ['WebP', (image) => image.webp()],
    ['GIF', (image) => image.gif()],
    ['TIFF', (image) => image.tiff()],
  ];

  it.each(encodings)('is drawn whole and in its colors: %s', async (kind, encode) => {
    const image = await encode(sharp(await picture())).toBuffer();
    const bytes = await mark({ image: { input: 1 }, opacity: 1, scale: 0.5 }, await blankPage(undefined), image);
    const rendered = await renderWithPdfium(bytes, 0);
    expect(inkBoxOf(rendered)).toEqual({ left: 75, top: 50, right: 225, bottom: 150 });
    const [r = 0, , b = 0] = rendered.rgba.subarray((100 * rendered.width + 150) * 4);
    if (kind.startsWith('gray')) expect(r).toBe(b);
    else expect(b - r).toBeGreaterThan(80);
  });

  it('lets through what is transparent in it', async () => {
    const image = await sharp({ create: { width: 60, height: 40, channels: 4, background: '#0000ff' } })
      .composite([
        {
          input: { create: { width: 30, height: 40, channels: 4, background: '#000' } },
          left: 0,
          top: 0,
          blend: 'dest-out',
        },
      ])
      .png()
      .toBuffer();
    const box = await seenAt(await blankPage(undefined), { image: { input: 1 }, opacity: 1 }, 0, image);
    expectClose(box, { left: 150, top: 50, right: 225, bottom: 150 });
  });

  it('stands upright when its EXIF data says how it was held', async () => {
    const image = await sharp(await picture())
      .jpeg()
      .withMetadata({ orientation: 6 })
      .toBuffer();
    const { left, top, right, bottom } = await seenAt(
      await blankPage(undefined),
      { image: { input: 1 }, opacity: 1 },
      0,
      image,
    );
    expect(bottom - top).toBeGreaterThan(right - left);
  });

  it('holds the bytes of a JPEG as they came', async () => {
    const image = await sharp(await picture())
      .jpeg()
      .toBuffer();
    const bytes = await mark({ image: { input: 1 } }, await blankPage(undefined), image);
    expect(bytes.includes(image)).toBe(true);
  });

  it.each(encodings.filter(([kind]) => !kind.startsWith('gray')))(
    'fails with unsupported_image when it is cut off: %s',
    async (_, encode) => {
      const noise = sharp(noiseBytes('noise', 90 * 90 * 3), { raw: { width: 90, height: 90, channels: 3 } });
      const image = await encode(sharp(await noise.png().toBuffer())).toBuffer();
      for (const share of [0.02, 0.3, 0.9])
        await expect(
          editDocument(
            'watermark',
            { image: { input: 1 } },
            await blankPage(undefined),
            image.subarray(0, image.length * share),
          ),
        ).rejects.toMatchObject({ failure: { code: 'unsupported_image', input: 1 } });
    },
  );

  it.each([
    [
      'an SVG',
      Buffer.from('<svg xmlns="http://www.w3.org/2000/svg" width="9" height="9"><rect width="9" height="9"/></svg>'),
    ],
    ['a PDF', Buffer.from('%PDF-1.7')],
    ['nothing', Buffer.alloc(0)],
  ])('fails with unsupported_image for %s', async (_, image) => {
    const marking = editDocument('watermark', { image: { input: 1 } }, await blankPage(undefined), image);
    await expect(marking).rejects.toMatchObject({
      failure: { code: 'unsupported_image', input: 1, message: 'Input 1 is no PNG, JPEG, WebP, GIF or TIFF.' },
    });
  });

  it('fails with unsupported_image for one of too many pixels, whose file is small', async () => {
    const image = await sharp({
      create: { width: 20_000, height: 6_000, channels: 3, background: '#fff' },
      limitInputPixels: false,
    })
      .png()
      .toBuffer();
    const marking = editDocument('watermark', { image: { input: 1 } }, await blankPage(undefined), image);
    await expect(marking).rejects.toMatchObject({
      failure: { code: 'unsupported_image', message: 'Input 1 has more than 100 million pixels.' },
    });
  });
});

describe('the pages and the layer of a watermark', () => {
  it.each([
    ['1-3,5,-1', [0, 1, 2, 4, 5]],
    ['2,2,2', [1]],
    ['3-1', [0, 1, 2]],
    ['5-', [4, 5]],
  ])('are those that %s names, each once (row 48)', async (pages, marked) => {
    const { bytes, progress } = await editDocument(
      'watermark',
      { text: 'Draft', pages },
      await makeDocument('pages', 6),
    );
    const read = (await readWithPdfium(bytes)).pages.map(({ text }) => text.split('Draft').length - 1);
    expect(read).toEqual([0, 1, 2, 3, 4, 5].map((page) => (marked.includes(page) ? 1 : 0)));
    expect(progress).toEqual(marked.map((_, index) => [index + 1, marked.length]));
  });

  it.each(['7', '1-7', '-7', '9-'])('fail with page_out_of_range when %s is past the end (row 48)', async (pages) => {
    const marking = editDocument('watermark', { text: 'Draft', pages }, await makeDocument('pages', 6));
    await expect(marking).rejects.toMatchObject({ failure: { code: 'page_out_of_range', input: 0 } });
  });

  it('is over the content or under it', async () => {
    const covered = await withContent('0 0 1 rg 0 0 300 400 re f');
    await expect(seenAt(covered, { ...red, text: 'Draft', layer: 'under' })).rejects.toThrow('no watermark to be seen');
    await expect(seenAt(covered, { ...red, text: 'Draft', layer: 'over' })).resolves.toBeDefined();
  });

  it('lets the page be seen by its opacity, once where it overlaps itself', async () => {
    const bytes = await mark({ text: 'MMM', color: '#000000', opacity: 0.5, scale: 1 }, await blankPage(undefined));
    const { rgba } = await renderWithPdfium(bytes, 0);
    expect(Math.min(...rgba.filter((_, index) => index % 4 === 0))).toBeGreaterThanOrEqual(126);
  });

  it('covers the page with tiles, and no more than it can hold', async () => {
    const box = await seenAt(await blankPage(90), {
      ...red,
      text: 'Draft',
      font_size: 12,
      tile: { gap_x: 5, gap_y: 5 },
    });
    expect(
      [box.left, box.top, box.right, box.bottom].every(
        (side, index) => Math.abs(side - ([0, 0, 300, 200][index] ?? 0)) < 12,
      ),
    ).toBe(true);
    const marking = editDocument(
      'watermark',
      { text: '.', font_size: 1, tile: { gap_x: 0, gap_y: 0 } },
      await blankPage(0),
    );
    const limit = { name: 'tiles', allowed: 1_000, actual: null };
    await expect(marking).rejects.toMatchObject({ failure: { code: 'limit_exceeded', input: null, limit } });
  });

  it('makes the same bytes of the same inputs and options', async () => {
    const make = async (): Promise<Buffer> => mark({ text: 'Draft ffi', opacity: 0.3 }, await makeDocument('same', 2));
    await mark({ text: 'Draft\u00A0', opacity: 0.3 }, await makeDocument('same', 2));
    expect((await make()).equals(await make())).toBe(true);
  });
});

describe('a page of a PDF as a watermark', () => {
  it('is drawn as it is seen: cropped, turned and in its unit', async () => {
    const upright = await withBlueCorner({ mediaBox: [0, 0, 300, 200] }, '0 0 1 rg 0 100 150 100 re f');
    const turned = await withBlueCorner(
      { mediaBox: [0, 0, 612, 792], cropBox: [100, 200, 300, 500], rotate: 90 },
      '0 0 1 rg 100 200 100 150 re f 1 0 0 rg 0 0 90 90 re f',
    );
    const options = { pdf: { input: 1 }, opacity: 1, scale: 0.5 };
    const expected = await seenAt(await blankPage(undefined), options, 0, upright);
    expectClose(await seenAt(await blankPage(undefined), options, 0, turned), expected);
    expectClose(expected, { left: 75, top: 50, right: 150, bottom: 100 });
  });

  it('is what it is in a document that has to be repaired or decrypted, with a warning', async () => {
    const document = await makeDocument('document', 1);
    const inputs = [
      withWrongOffsets(await makeDocument('stamp', 1)),
      await encrypt(await makeDocument('stamp', 1), 'aes-128', { user: '', owner: 'owner' }),
    ];
    const made = await Promise.all(
      inputs.map((input) => editDocument('watermark', { pdf: { input: 1 } }, document, input)),
    );
    expect(made.map(({ warnings }) => warnings)).toEqual([['repaired'], ['decrypted']]);
    for (const { bytes } of made) expect((await readWithPdfium(bytes)).pages[0]?.text).toContain('stamp page 1');
    expect((await editDocument('rotate', { angle: 90 }, inputs[0] ?? document)).warnings).toEqual(['repaired']);
  });

  it('keeps its text', async () => {
    const bytes = await mark(
      { pdf: { input: 1, page: 2 } },
      await makeDocument('document', 1),
      await makeDocument('stamp', 3),
    );
    expect((await readWithPdfium(bytes)).pages[0]?.text).toContain('stamp page 2');
  });

  it('fails with page_out_of_range when there is no such page', async () => {
    const marking = editDocument(
      'watermark',
      { pdf: { input: 1, page: 4 } },
      await makeDocument('document', 1),
      await makeDocument('stamp', 3),
    );
    await expect(marking).rejects.toMatchObject({ failure: { code: 'page_out_of_range', input: 1 } });
  });
});

async function withBlueCorner(boxes: PageBoxes, content: string): Promise<Uint8Array> {
  const document = await PDFDocument.load(await makeBoxedPage('stamp', boxes), { updateMetadata: false });
  const { context } = document;
  document.getPage(0).node.set(PDFName.of('Contents'), context.register(context.stream(content)));
  return document.save({ useObjectStreams: false });
}

/** A blue picture of 60 by 40 pixels. */
function picture(): Promise<Buffer> {
  return sharp({ create: { width: 60, height: 40, channels: 3, background: '#0000ff' } })
    .png()
    .toBuffer();
}

function inflated({ dict, contents }: PDFRawStream): string {
  return dict.get(PDFName.of('Filter')) === PDFName.of('FlateDecode') ? inflateSync(contents).toString('latin1') : '';
}
