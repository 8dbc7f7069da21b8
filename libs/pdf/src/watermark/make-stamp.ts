import type { PDFContext } from 'pdf-lib';
import { openSource } from '../assemble/open-source.js';
import type { Stamp } from '../content/form-object.js';
import { addForm } from '../content/form-object.js';
import { corruptDocument, DocumentFailed, pageOutOfRange, unsupportedFont } from '../document/document-failure.js';
import { guard } from '../document/guard.js';
import type { InputFile, OperationRun } from '../operation.js';
import { openBundledFont, openFont } from './font/open-font.js';
import { makeImageStamp } from './image-stamp.js';
import { readImage } from './image/read-image.js';
import { makePageStamp, type StampPage } from './page-stamp.js';
import { columnOf } from './place-stamp.js';
import { makeTextStamp } from './text-stamp.js';
import { defaultColor, type WatermarkOptions } from './watermark-options.js';

type Run = OperationRun<WatermarkOptions>;

/** Adds to a document of so many pages what the options want drawn, and with their opacity. */
export async function makeStamp(run: Run, context: PDFContext, pageCount: number): Promise<Stamp> {
  const { opacity } = run.options;
  const stamp = await makeOpaqueStamp(run, context, pageCount, opacity < 1);
  return opacity < 1 ? withOpacity(context, stamp, opacity) : stamp;
}

async function makeOpaqueStamp(run: Run, context: PDFContext, pageCount: number, isGroup: boolean): Promise<Stamp> {
  const { text, image, pdf } = run.options;
  if (text !== undefined) return makeText(run, text, context, isGroup);
  if (image !== undefined)
    return makeImageStamp(context, await readImage(inputOf(run, image.input).path, image.input), isGroup);
  if (pdf === undefined) throw new Error('There is nothing to draw.');
  const source = await openStampPage(run, pdf, pageCount);
  return guard(corruptDocument(pdf.input), async () => makePageStamp(context, source, isGroup));
}

async function makeText(run: Run, text: string, context: PDFContext, isGroup: boolean): Promise<Stamp> {
  const { font, color = defaultColor, position } = run.options;
  const options = { text, color, alignment: columnOf(position), isGroup };
  if (font === undefined) return makeTextStamp(context, await openBundledFont(), options);
  const opened = await openFont(inputOf(run, font.input).path, font.input);
  return guard(unsupportedFont(font.input), async () => makeTextStamp(context, opened, options));
}

async function openStampPage(
  run: Run,
  { input, page }: { input: number; page: number },
  pagesBefore: number,
): Promise<StampPage> {
  const { document, pages } = await openSource(inputOf(run, input), input, { pagesBefore, maxPages: run.maxPages });
  const named = pages[page - 1];
  if (named === undefined) throw new DocumentFailed(pageOutOfRange(String(page), input, pages.length));
  return { document, page: named, input };
}

function withOpacity(context: PDFContext, { form, box }: Stamp, opacity: number): Stamp {
  const state = context.register(context.obj({ Type: 'ExtGState', ca: opacity, CA: opacity }));
  const resources = { ExtGState: { G: state }, XObject: { S: form } };
  return { form: addForm(context, { content: '/G gs /S Do', box, resources }), box };
}

function inputOf({ inputs }: Run, input: number): InputFile {
  const file = inputs[input];
  if (file === undefined) throw new Error(`There is no input ${input}.`);
  return file;
}
