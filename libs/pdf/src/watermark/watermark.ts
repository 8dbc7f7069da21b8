import type { InputRefusal, OperationDeclaration } from '../operation.js';
import type { WatermarkOptions } from './watermark-options.js';
import { watermarkOptions } from './watermark-options.js';

/** One document with a text, an image or a page of a PDF on some or all of its pages. */
export const watermark: OperationDeclaration<WatermarkOptions> = {
  name: 'watermark',
  optionsSchema: watermarkOptions,
  minInputs: 1,
  maxInputs: 2,
  pagesAreNamedBy: { option: 'pages' },
  checkInputs,
  progress: { unit: 'pages', total: () => 0 },
  load: async () => ({ run: (await import('./run-watermark.js')).runWatermark }),
};

/** The first input is the document, and each further one is named by an option. */
function checkInputs(options: WatermarkOptions, inputCount: number): InputRefusal | null {
  const named = (['image', 'pdf', 'font'] as const).flatMap((option) => {
    const input = options[option]?.input;
    return input === undefined ? [] : [{ path: `/options/${option}/input`, input }];
  });
  const missing = named.find(({ input }) => input >= inputCount);
  if (missing !== undefined)
    return {
      path: missing.path,
      message: `names input ${missing.input}, and there are ${inputCount}: they count from 0`,
    };
  const unnamed = Array.from({ length: inputCount - 1 }, (_, index) => index + 1).find((input) =>
    named.every((name) => name.input !== input),
  );
  if (unnamed === undefined) return null;
  return { path: `/inputs/${unnamed}`, message: 'is named by none of the options image, pdf and font' };
}
