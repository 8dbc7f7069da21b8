import { deflateSync } from 'node:zlib';
import type { PDFContext, PDFObject, PDFRef } from 'pdf-lib';
import type { Box } from './box.js';
import type { Matrix } from './matrix.js';

/** The content of a form XObject, ready or still to be compressed. */
export interface FormContent {
  readonly content: string;
  readonly box: Box;
  readonly resources: Readonly<Record<string, Readonly<Record<string, PDFRef>>>>;
  /** Whether it is composed by itself before it is drawn, as it must be to be drawn with one opacity. */
  readonly isGroup?: boolean;
}

/** Adds a form XObject (ISO 32000-1, 8.10) to a document. */
export function addForm(context: PDFContext, { content, box, resources, isGroup = false }: FormContent): PDFRef {
  const dict = {
    ...formEntries(context, box),
    Resources: context.obj(resources),
    Filter: 'FlateDecode',
    ...(isGroup ? { Group: isolatedGroup(context) } : {}),
  };
  return context.register(context.stream(deflateSync(Buffer.from(content, 'latin1')), dict));
}

export function formEntries(context: PDFContext, { x, y, width, height }: Box, matrix?: Matrix) {
  const entries = { Type: 'XObject', Subtype: 'Form', BBox: context.obj([x, y, x + width, y + height]) };
  return matrix === undefined ? entries : { ...entries, Matrix: context.obj([...matrix]) };
}

/** A transparency group of its own, as a page is one (ISO 32000-1, 11.6.6). */
export function isolatedGroup(context: PDFContext): PDFObject {
  return context.obj({ Type: 'Group', S: 'Transparency', I: true });
}
