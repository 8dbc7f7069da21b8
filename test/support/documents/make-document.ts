import { PDFDocument, StandardFonts } from 'pdf-lib';

/** Puts something into a document that has its pages already. Always the same for the same arguments. */
export type Addition = (document: PDFDocument) => void;

/** The size of the pages, in points. */
export const pageSize: readonly [number, number] = [300, 400];

/**
 * A document of so many pages with the text `NAME page N` on each, and with whatever else is added. The same call makes the same bytes:
 * there is no date in them.
 */
export async function makeDocument(
  name: string,
  pages: number,
  ...additions: readonly Addition[]
): Promise<Uint8Array> {
  const document = await PDFDocument.create({ updateMetadata: false });
  const font = await document.embedFont(StandardFonts.Helvetica);
  for (let number = 1; number <= pages; number += 1)
    document.addPage([...pageSize]).drawText(`${name} page ${number}`, { x: 30, y: 350, size: 14, font });
  for (const add of additions) add(document);
  return saveDocument(document);
}

/** Writes a document with a table of cross-references and no object streams, so that its bytes can be read and edited. */
export async function saveDocument(document: PDFDocument): Promise<Uint8Array> {
  return document.save({ useObjectStreams: false, addDefaultPage: false, updateFieldAppearances: false });
}
