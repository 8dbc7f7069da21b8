import sharp, { type Sharp } from 'sharp';
import { editDocument } from '../support/documents/edit-document.js';
import { inkBoxOf } from '../support/documents/ink-box.js';
import { makeBlankPage } from '../support/documents/make-blank-page.js';
import { makePicture } from '../support/documents/make-picture.js';
import { expectClose, markDocument, seenAt } from '../support/documents/mark-document.js';
import { noiseBytes } from '../support/documents/noise-bytes.js';
import { renderWithPdfium } from '../support/documents/render-with-pdfium.js';

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
    const image = await encode(sharp(await makePicture())).toBuffer();
    const bytes = await markDocument(
      { image: { input: 1 }, opacity: 1, scale: 0.5 },
      await makeBlankPage(undefined),
      image,
    );
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
    const box = await seenAt(await makeBlankPage(undefined), { image: { input: 1 }, opacity: 1 }, 0, image);
    expectClose(box, { left: 150, top: 50, right: 225, bottom: 150 });
  });

  it('stands upright when its EXIF data says how it was held', async () => {
    const image = await sharp(await makePicture())
      .jpeg()
      .withMetadata({ orientation: 6 })
      .toBuffer();
    const { left, top, right, bottom } = await seenAt(
      await makeBlankPage(undefined),
      { image: { input: 1 }, opacity: 1 },
      0,
      image,
    );
    expect(bottom - top).toBeGreaterThan(right - left);
  });

  it('holds the bytes of a JPEG as they came', async () => {
    const image = await sharp(await makePicture())
      .jpeg()
      .toBuffer();
    const bytes = await markDocument({ image: { input: 1 } }, await makeBlankPage(undefined), image);
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
            await makeBlankPage(undefined),
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
    const marking = editDocument('watermark', { image: { input: 1 } }, await makeBlankPage(undefined), image);
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
    const marking = editDocument('watermark', { image: { input: 1 } }, await makeBlankPage(undefined), image);
    await expect(marking).rejects.toMatchObject({
      failure: { code: 'unsupported_image', message: 'Input 1 has more than 100 million pixels.' },
    });
  });
});
