import { deflateSync } from 'node:zlib';
import { PDFDocument, PDFName } from 'pdf-lib';
import { compareRenders } from '../support/documents/compare-renders.js';
import { editDocument } from '../support/documents/edit-document.js';
import { inkBox } from '../support/documents/ink-box.js';
import { makeBlankPage } from '../support/documents/make-blank-page.js';
import { makeInheritedBoxes } from '../support/documents/make-boxes.js';
import { makeDocument } from '../support/documents/make-document.js';
import { type Leak, leakNames, makeLeaking } from '../support/documents/make-leaking.js';
import { expectClose, markDocument, red, seenAt } from '../support/documents/mark-document.js';
import { readWithPdfium } from '../support/documents/read-with-pdfium.js';
import { renderWithPdfium } from '../support/documents/render-with-pdfium.js';

describe('a watermark on a rotated page (row 27)', () => {
  it.each(['center', 'top-left', 'right'])(
    'stands upright at the same place of the page as it is seen, at the %s',
    async (position) => {
      const options = { ...red, text: 'Draft', font_size: 30, position };
      const upright = await seenAt(await makeBlankPage(undefined), options);
      for (const rotate of [0, 90, 180, 270, -90, 450])
        expectClose(await seenAt(await makeBlankPage(rotate), options), upright);
    },
  );

  it('is the same picture, not only in the same place', async () => {
    const options = { ...red, text: 'Draft', angle: 30, scale: 0.9 };
    const upright = await renderWithPdfium(await markDocument(options, await makeBlankPage(undefined)), 0);
    for (const rotate of [90, 180, 270]) {
      const turned = await renderWithPdfium(await markDocument(options, await makeBlankPage(rotate)), 0);
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
    const flat = await seenAt(await makeBlankPage(90), { ...red, text: 'Draft', font_size: 30 });
    const steep = await seenAt(await makeBlankPage(90), { ...red, text: 'Draft', font_size: 30, angle: 90 });
    expect(steep.bottom - steep.top).toBe(flat.right - flat.left);
    const tilted = await renderWithPdfium(
      await markDocument({ ...red, text: 'lllll', font_size: 30, angle: 45 }, await makeBlankPage(90)),
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
    const content = await makeBlankPage(rotate, boxes);
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
    const plain = await seenAt(await makeBlankPage(undefined), options);
    const scaled = await PDFDocument.load(
      await markDocument(options, await makeBlankPage(undefined, { mediaBox: [0, 0, 150, 100], userUnit: 2 })),
    );
    scaled.getPage(0).node.delete(PDFName.of('UserUnit'));
    const white = await makeBlankPage(undefined, { mediaBox: [0, 0, 150, 100] });
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
    const bytes = await markDocument({ ...red, text: '.', position: 'top-right', font_size: 4 }, unbalanced);
    const box = inkBox(await renderWithPdfium(unbalanced, 0), await renderWithPdfium(bytes, 0));
    expect((box?.right ?? 0) - (box?.left ?? 0)).toBeLessThan(10);
  });

  it('closes text and hidden marked content that were left open', async () => {
    const options = { ...red, text: 'Draft', position: 'bottom' };
    const expected = await seenAt(await withContent('0 g'), options);
    const open = 'q /OC /Hidden BDC BT 1 0 0 1 50 50 Tm';
    expectClose(await seenAt(await withContent(open, { isHidden: true }), options), expected);
  });

  it.each(['BT /F 12 Tf (never ended', 'q <0'])(
    'is seen though the content ends within a string: %s',
    async (content) => {
      const options = { ...red, text: 'Draft', position: 'bottom' };
      expectClose(await seenAt(await withContent(content), options), await seenAt(await withContent('0 g'), options));
    },
  );

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
    const over = { ...red, text: 'Draft', layer: 'over' };
    expectClose(await seenAt(covered, over), await seenAt(await withContent('0 g'), over));
  });

  it('lets the page be seen by its opacity, once where it overlaps itself', async () => {
    const bytes = await markDocument(
      { text: 'MMM', color: '#000000', opacity: 0.5, scale: 1 },
      await makeBlankPage(undefined),
    );
    const { rgba } = await renderWithPdfium(bytes, 0);
    expect(Math.min(...rgba.filter((_, index) => index % 4 === 0))).toBeGreaterThanOrEqual(126);
  });

  it('covers the page with tiles, and no more than it can hold', async () => {
    const box = await seenAt(await makeBlankPage(90), {
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
      await makeBlankPage(0),
    );
    await expect(marking).rejects.toMatchObject({ failure: { code: 'limit_exceeded' } });
  });

  it('makes the same bytes of the same inputs and options', async () => {
    const make = async (): Promise<Buffer> =>
      markDocument({ text: 'Draft ffi', opacity: 0.3 }, await makeDocument('same', 2));
    await markDocument({ text: 'Draft\u00A0', opacity: 0.3 }, await makeDocument('same', 2));
    expect((await make()).equals(await make())).toBe(true);
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
