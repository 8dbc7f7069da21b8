import type { PDFDocument } from 'pdf-lib';
import { PDFDict, PDFName } from 'pdf-lib';
import { isText } from '../document/objects/read-entry.js';
import type { Carrier } from './carrier.js';
import type { Excerpt } from './excerpt.js';

/** Dates of the file itself and the program that wrote it are not among them: both are new. */
const infoKeys = ['Title', 'Author', 'Subject', 'Keywords', 'Creator', 'CreationDate'].map((key) => PDFName.of(key));
const catalogKeys = ['Lang', 'ViewerPreferences', 'PageLayout', 'PageMode'].map((key) => PDFName.of(key));

/**
 * The description of the new document (title, author, language, how it opens and so on) is that of its first source. Descriptions in XML (XMP) are left
 * out: they make claims, such as a conformance level, of a file that is no more.
 */
export function carryDescription(document: PDFDocument): Carrier {
  document.setProducer('pdfonce');
  let isDescribed = false;
  return {
    add: (excerpt) => {
      if (isDescribed) return;
      isDescribed = true;
      copyInfo(excerpt, document);
      for (const key of catalogKeys) {
        const value = excerpt.source.document.catalog.get(key);
        if (value !== undefined) document.catalog.set(key, excerpt.copier.copy(value));
      }
    },
    finish: () => [],
  };
}

function copyInfo({ source, copier }: Excerpt, document: PDFDocument): void {
  const [from, to] = [infoOf(source.document), infoOf(document)];
  for (const key of infoKeys) {
    const value = from?.lookup(key);
    if (isText(value)) to?.set(key, copier.copy(value));
  }
}

function infoOf({ context }: PDFDocument): PDFDict | undefined {
  const info = context.lookup(context.trailerInfo.Info);
  return info instanceof PDFDict ? info : undefined;
}
