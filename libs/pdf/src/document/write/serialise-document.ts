import type { PDFDocument } from 'pdf-lib';
import { corruptDocument } from '../failure/document-failure.js';
import { guard } from '../failure/guard.js';
import { serialiseObjects } from './serialise-objects.js';

/** The bytes of a finished document. @throws DocumentFailed that blames `input` (`null`: any of several) when objects that were copied from it cannot be written */
export function serialiseDocument(document: PDFDocument, input: number | null): Promise<Buffer> {
  return guard(corruptDocument(input), async () => {
    await document.flush();
    return serialiseObjects(document.context);
  });
}
