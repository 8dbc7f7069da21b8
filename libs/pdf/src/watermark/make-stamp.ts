import type { PDFContext } from 'pdf-lib';
import { addForm } from '../content/form-object.js';
import {
  corruptDocument,
  DocumentFailed,
  pageOutOfRange,
  unsupportedFont,
} from '../document/failure/document-failure.js';
import type { DocumentWarning } from '../document/failure/document-warnings.js';
import { guard } from '../document/failure/guard.js';
import { openDocument } from '../document/open/open-document.js';
import type { InputFile, OperationRun } from '../operation.js';
import { openBundledFont, openFont } from './font/open-font.js';
import { makeImageStamp } from './image-stamp.js';
import { readImage } from './image/read-image.js';
import { makePageStamp, type StampPage } from './page-stamp.js';
import { columnOf } from './place-stamp.js';
import type { Stamp } from './stamp.js';
import { makeTextStamp } from './text-stamp.js';
import { defaultColor, type WatermarkOptions } from './watermark-options.js';

type Run = OperationRun<WatermarkOptions>;

/** What is to be drawn, and what had to be done to the input that it is. */
interface MadeStamp {
  readonly stamp: Stamp;
  readonly warnings: readonly DocumentWarning[];
}

/** Adds to a document of so many pages what the options want drawn, and with their opacity. */
export async function makeStamp(run: Run, context: PDFContext, pageCount: number): Promise<MadeStamp> {
  const { opacity } = run.options;
  const { stamp, warnings } = await makeOpaqueStamp(run, context, pageCount, opacity < 1);
  return { stamp: opacity < 1 ? withOpacity(context, stamp, opacity) : stamp, warnings };
}

async function makeOpaqueStamp(run: Run, context: PDFContext, pageCount: number, isGroup: boolean): Promise<MadeStamp> {
  const { text, image, pdf } = run.options;
  if (text !== undefined) return { stamp: await makeText(run, text, context, isGroup), warnings: [] };
  if (image !== undefined) return { stamp: await makeImage(run, image.input, context, isGroup), warnings: [] };
  if (pdf === undefined) throw new Error('There is nothing to draw.');
  const { page, warnings } = await openStampPage(run, pdf, pageCount);
  const stamp = await guard(corruptDocument(pdf.input), async () => makePageStamp(context, page, isGroup));
  return { stamp, warnings };
}

async function makeImage(run: Run, input: number, context: PDFContext, isGroup: boolean): Promise<Stamp> {
  return makeImageStamp(context, await readImage(inputOf(run, input).path, input), isGroup);
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
): Promise<{ page: StampPage; warnings: readonly DocumentWarning[] }> {
  const source = await openDocument(inputOf(run, input), input, { pagesBefore, maxPages: run.maxPages });
  const { document, pages, warnings } = source;
  const named = pages[page - 1];
  if (named === undefined) throw new DocumentFailed(pageOutOfRange(String(page), input, pages.length));
  return { page: { document, page: named, input }, warnings };
}

function withOpacity(context: PDFContext, { form, box, ink }: Stamp, opacity: number): Stamp {
  const state = context.register(context.obj({ Type: 'ExtGState', ca: opacity, CA: opacity }));
  const resources = { ExtGState: { G: state }, XObject: { S: form } };
  return { form: addForm(context, { content: '/G gs /S Do', box, resources }), box, ink };
}

function inputOf({ inputs }: Run, input: number): InputFile {
  const file = inputs[input];
  if (file === undefined) throw new Error(`There is no input ${input}.`);
  return file;
}
