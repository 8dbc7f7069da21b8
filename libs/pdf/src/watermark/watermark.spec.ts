import { watermark } from './watermark.js';

function messagesOf(options: unknown): string[] {
  const parsed = watermark.optionsSchema.safeParse(options);
  return parsed.success ? [] : parsed.error.issues.map(({ path, message }) => `/${path.join('/')}: ${message}`);
}

function refusalOf(options: object, inputCount: number) {
  return watermark.checkInputs?.(watermark.optionsSchema.parse(options), inputCount);
}

describe('the options of watermark', () => {
  it('are what to draw, and by default half as large as the page, in its middle, half opaque, over its content', () => {
    expect(watermark.optionsSchema.parse({ text: 'Draft' })).toEqual({
      text: 'Draft',
      layer: 'over',
      position: 'center',
      offset: { x: 0, y: 0 },
      margin: 36,
      opacity: 0.5,
      angle: 0,
    });
    expect(watermark.optionsSchema.parse({ pdf: { input: 1 }, tile: {} })).toMatchObject({
      pdf: { input: 1, page: 1 },
      tile: { gap_x: 72, gap_y: 72 },
    });
  });

  it('stay the same when they are read again, as the process does that works with them', () => {
    const options = watermark.optionsSchema.parse({ text: 'a', offset: { y: 3 }, tile: {}, font: { input: 1 } });
    expect(watermark.optionsSchema.parse(options)).toEqual(options);
  });

  it.each([['two\nlines', 'a\r\nb', 'a\tb', '\uFEFFBOM', 'e\u0301', '漢 🙂 שלום'].map((text) => [text])].flat())(
    'take the text %j',
    (text) => {
      expect(messagesOf({ text })).toEqual([]);
    },
  );

  it.each([
    ['', 'has nothing to draw'],
    [' \n\t\uFEFF', 'has nothing to draw'],
    ['a\u0000b', 'has the character U+0000, which cannot be drawn'],
    ['a\u001b', 'U+001B'],
    ['a\u007f', 'U+007F'],
    ['a\u0085', 'U+0085'],
    ['a\rb', 'U+000D'],
    ['a\ud83d', 'U+D83D'],
    ['a'.repeat(2_001), 'is longer than 2000 characters'],
    ['a\n'.repeat(100), 'has more than 100 lines'],
  ])('refuse the text %j', (text, message) => {
    expect(messagesOf({ text })).toEqual([
      expect.stringContaining(`/text: ${message.startsWith('U+') ? '' : message}`),
    ]);
    expect(messagesOf({ text })).toEqual([expect.stringContaining(message)]);
  });

  it.each([
    [{}, '/: needs one of text, image and pdf'],
    [{ text: 'a', image: { input: 1 } }, '/image: cannot go with text'],
    [{ image: { input: 1 }, pdf: { input: 1 } }, '/pdf: cannot go with image'],
    [{ image: { input: 1 }, color: '#000000' }, '/color: goes with text only, not with image'],
    [{ pdf: { input: 1 }, font_size: 10 }, '/font_size: goes with text only, not with pdf'],
    [{ pdf: { input: 1 }, font: { input: 2 } }, '/font: goes with text only, not with pdf'],
    [{ text: 'a', font_size: 10, scale: 0.5 }, '/scale: cannot go with font_size'],
    [{ text: 5 }, '/text: '],
    [{ text: 'a', layer: 'behind' }, '/layer: "behind" is no layer: use one of over, under'],
    [{ text: 'a', position: 'middle' }, '/position: "middle" is no position: use one of top-left, top,'],
    [{ text: 'a', offset: { x: 1e9 } }, '/offset/x: 1000000000 is no offset: it is from -20000 to 20000'],
    [{ text: 'a', offset: 5 }, '/offset: '],
    [{ text: 'a', margin: -1 }, '/margin: -1 is no margin'],
    [{ text: 'a', opacity: 1.5 }, '/opacity: 1.5 is no opacity: it is from 0 to 1'],
    [{ text: 'a', opacity: '50%' }, '/opacity: "50%" is no opacity: write a number from 0 to 1'],
    [{ text: 'a', angle: 361 }, '/angle: 361 is no angle'],
    [{ text: 'a', scale: 0 }, '/scale: 0 is no scale'],
    [{ text: 'a', font_size: 0.5 }, '/font_size: 0.5 is no font size'],
    [{ text: 'a', color: 'red' }, '/color: "red" is no color: write it as #rrggbb'],
    [{ text: 'a', tile: { gap_x: -1 } }, '/tile/gap_x: -1 is no gap'],
    [{ text: 'a', tile: true }, '/tile: '],
    [{ text: 'a', pages: '0' }, '/pages: "0" is no selection of pages'],
    [{ text: 'a', colour: '#000000' }, '/: Unrecognized key: "colour"'],
    [{ image: { input: 0 } }, '/image/input: 0 cannot be: input 0 is the document'],
    [{ image: { input: 1.5 } }, '/image/input: 1.5 is no number of an input'],
    [{ image: 'logo.png' }, '/image: '],
    [{ pdf: { input: 1, page: 0 } }, '/pdf/page: 0 is no page: they count from 1'],
    [{ pdf: { input: 1, page: '1' } }, '/pdf/page: "1" is no page'],
  ])('refuse %j and say where', (options, message) => {
    expect(messagesOf(options)).toEqual([expect.stringContaining(message)]);
  });
});

describe('the inputs of watermark', () => {
  it('are the document, and each other that an option names', () => {
    expect(refusalOf({ text: 'a' }, 1)).toBeNull();
    expect(refusalOf({ text: 'a', font: { input: 1 } }, 2)).toBeNull();
    expect(refusalOf({ image: { input: 1 } }, 2)).toBeNull();
  });

  it.each([
    [{ image: { input: 1 } }, 1, '/options/image/input', 'names input 1, and there are 1'],
    [{ text: 'a', font: { input: 7 } }, 2, '/options/font/input', 'names input 7'],
    [{ text: 'a' }, 2, '/inputs/1', 'is named by none of the options'],
  ])('are refused for %j with %i of them', (options, inputCount, path, message) => {
    expect(refusalOf(options, inputCount)).toEqual({ path, message: expect.stringContaining(message) });
  });
});
