import type { PDFDocument } from 'pdf-lib';
import { corruptDocument } from './document-failure.js';
import { guard } from './guard.js';

/** The bytes of a finished document. @throws DocumentFailed that blames `input` (`null`: any of several) when objects that were copied from it cannot be written */
export function serialiseDocument(document: PDFDocument, input: number | null): Promise<Uint8Array> {
  return guard(corruptDocument(input), () =>
    document.save({
      useObjectStreams: true,
      objectsPerTick: Number.POSITIVE_INFINITY,
      addDefaultPage: false,
      updateFieldAppearances: false,
    }),
  );
}
