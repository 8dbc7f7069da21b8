import type { PDFContext } from 'pdf-lib';
import { PDFDict, PDFDocument, PDFHexString, PDFName, PDFString } from 'pdf-lib';

const keptEntries = ['Title', 'Author', 'Subject', 'Keywords', 'Creator', 'CreationDate'];

/**
 * An empty document with the description (title, author, creation date and so on) of a source. It carries no date of its own,
 * so the same sources always make the same bytes.
 */
export async function newDocument(source: PDFDocument): Promise<PDFDocument> {
  const document = await PDFDocument.create({ updateMetadata: false });
  document.setProducer('pdfonce');
  const from = infoOf(source.context);
  const to = infoOf(document.context);
  for (const key of keptEntries) {
    const value = from?.lookup(PDFName.of(key));
    if (value instanceof PDFString || value instanceof PDFHexString) to?.set(PDFName.of(key), value.clone());
  }
  return document;
}

function infoOf(context: PDFContext): PDFDict | undefined {
  const info = context.lookup(context.trailerInfo.Info);
  return info instanceof PDFDict ? info : undefined;
}
